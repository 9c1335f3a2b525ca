package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * A number that is used once and that nobody can foretell: what makes a proof good for one connection.
 *
 * @param high the first eight bytes
 * @param low the last eight bytes
 */
public record Nonce(long high, long low) {
    /** From the system's randomness. */
    public static Nonce random() {
        Token random = Token.random();
        return new Nonce(random.high(), random.low());
    }

    /**
     * From a secret and what never comes twice: who does not know the token cannot foretell it. A rank's, to which the system's randomness would cost
     * more than all the rest of its connection.
     */
    public static Nonce derived(Token secret, long time, long count) {
        Token derived = Hmac.of(secret, "posthouse nonce", ByteBuffer.allocate(2 * Long.BYTES).putLong(time).putLong(count).flip()).token();
        return new Nonce(derived.high(), derived.low());
    }

    static Nonce read(FrameReader in) throws WireException {
        return new Nonce(in.i64("nonce"), in.i64("nonce"));
    }

    FrameWriter write(FrameWriter out) {
        return out.i64(high).i64(low);
    }
}
