package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * A random number that is used once, which makes a proof valid for one connection only.
 *
 * @param high the first eight bytes
 * @param low the last eight bytes
 */
public record Nonce(long high, long low) {
    /** A nonce from the system's random source. */
    public static Nonce random() {
        Token random = Token.random();
        return new Nonce(random.high(), random.low());
    }

    /**
     * A nonce from a secret and a unique input. Without the token it is unpredictable. A rank uses it because the
     * system's random source costs more than all the rest of its connection.
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
