package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;

/**
 * The 128-bit secret that opens a job to its ranks, or a relay to launchers. It is never sent: its holder proves that
 * it has it ({@link MutualProof}).
 *
 * @param high the first eight bytes
 * @param low the last eight bytes
 */
public record Token(long high, long low) {
    /** A token known to everybody, for a relay and launchers that authenticate each other by their user. */
    public static final Token NONE = new Token(0, 0);

    /** Loaded only on use: a rank draws no token and does not need the security providers. */
    private static final class Source {
        private static final SecureRandom RANDOM = new SecureRandom();
    }

    public static Token random() {
        return new Token(Source.RANDOM.nextLong(), Source.RANDOM.nextLong());
    }

    /**
     * The token for one of a job's relays, derived from the job's token. The relay can speak for the job's ranks at
     * home there, and for no others.
     */
    public Token ofRelay(String relay) {
        return Hmac.of(this, "posthouse home", ByteBuffer.wrap(relay.getBytes(StandardCharsets.UTF_8))).token();
    }

    /** The token for one rank, derived from its relay's token. The rank can speak for itself only. */
    public Token ofRank(int rank) {
        return Hmac.of(this, "posthouse rank", ByteBuffer.allocate(Integer.BYTES).putInt(0, rank)).token();
    }

    /**
     * Reads 32 hexadecimal digits.
     *
     * @throws IllegalArgumentException if the text is anything else
     */
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

    /** Does not show the secret, since tokens end up in logs. */
    @Override
    public String toString() {
        return "token";
    }
}
