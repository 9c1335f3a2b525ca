package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The HMAC-SHA256 (RFC 2104) of a message under a token: 32 bytes, as four 8-byte words on the wire.
 *
 * @param a the first eight bytes
 * @param b the next
 * @param c the next
 * @param d the last
 */
public record Hmac(long a, long b, long c, long d) {
    private static final byte INNER = 0x36;
    private static final byte OUTER = 0x5c;

    /**
     * The HMAC of a label, which names its purpose, and of the remaining bytes of these buffers, whose positions stay.
     */
    static Hmac of(Token key, String label, ByteBuffer... message) {
        Sha256 inner = new Sha256().update(padded(key, INNER)).update(ByteBuffer.wrap(label.getBytes(StandardCharsets.US_ASCII)));
        for (ByteBuffer part : message) {
            inner.update(part);
        }
        ByteBuffer digest = new Sha256().update(padded(key, OUTER)).update(inner.digest()).digest();
        return new Hmac(digest.getLong(), digest.getLong(), digest.getLong(), digest.getLong());
    }

    private static ByteBuffer padded(Token key, byte pad) {
        ByteBuffer block = ByteBuffer.allocate(Sha256.BLOCK_BYTES).putLong(key.high()).putLong(key.low()).rewind();
        for (int at = 0; at < Sha256.BLOCK_BYTES; at++) {
            block.put(at, (byte) (block.get(at) ^ pad));
        }
        return block;
    }

    /** The first half, as a token. */
    Token token() {
        return new Token(a, b);
    }

    /** Compares in a time that does not depend on where they differ. */
    public boolean matches(Hmac other) {
        return ((a ^ other.a) | (b ^ other.b) | (c ^ other.c) | (d ^ other.d)) == 0;
    }

    static Hmac read(FrameReader in) throws WireException {
        return new Hmac(in.i64("proof"), in.i64("proof"), in.i64("proof"), in.i64("proof"));
    }

    FrameWriter write(FrameWriter out) {
        return out.i64(a).i64(b).i64(c).i64(d);
    }
}
