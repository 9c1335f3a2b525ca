package org.posthouse.wire;

import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * The 128-bit secret that opens a job to its ranks, or a relay to launchers.
 *
 * @param high the first eight bytes
 * @param low the last eight bytes
 */
public record Token(long high, long low) {
    /** What a launcher sends to a relay that asks for none. */
    public static final Token NONE = new Token(0, 0);

    private static final SecureRandom RANDOM = new SecureRandom();

    public static Token random() {
        return new Token(RANDOM.nextLong(), RANDOM.nextLong());
    }

    /** Reads 32 hexadecimal digits. @throws IllegalArgumentException if the text is anything else */
    public static Token parse(String hex) {
        if (hex.length() != 32) {
            throw new IllegalArgumentException("a token has 32 hexadecimal digits, this one " + hex.length());
        }
        return new Token(HexFormat.fromHexDigitsToLong(hex, 0, 16), HexFormat.fromHexDigitsToLong(hex, 16, 32));
    }

    /** 32 hexadecimal digits. */
    public String hex() {
        return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
    }

    /** Compares in a time that does not depend on where the tokens differ. */
    public boolean matches(Token other) {
        return ((high ^ other.high) | (low ^ other.low)) == 0;
    }

    /** Never the secret itself: tokens end up in logs otherwise. */
    @Override
    public String toString() {
        return "token";
    }
}
