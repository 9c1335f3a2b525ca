package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.HexFormat;

/**
 * The SHA-256 of a file's content, by which the file is named.
 *
 * @param a the first eight bytes
 * @param b the next
 * @param c the next
 * @param d the last
 */
public record ContentHash(long a, long b, long c, long d) {
    /** Bytes of a hash. */
    public static final int BYTES = 32;

    /** The hash with these 32 bytes. */
    public static ContentHash of(byte[] sha256) {
        if (sha256.length != BYTES) {
            throw new IllegalArgumentException("a hash of " + sha256.length + " bytes, expected " + BYTES);
        }
        ByteBuffer in = ByteBuffer.wrap(sha256);
        return new ContentHash(in.getLong(), in.getLong(), in.getLong(), in.getLong());
    }

    /** The 32 bytes. */
    public byte[] bytes() {
        return ByteBuffer.allocate(BYTES).putLong(a).putLong(b).putLong(c).putLong(d).array();
    }

    /** 64 hexadecimal digits. */
    public String hex() {
        return HexFormat.of().formatHex(bytes());
    }

    FrameWriter write(FrameWriter out) {
        return out.i64(a).i64(b).i64(c).i64(d);
    }

    static ContentHash read(FrameReader in) throws WireException {
        return new ContentHash(in.i64("hash"), in.i64("hash"), in.i64("hash"), in.i64("hash"));
    }

    @Override
    public String toString() {
        return hex();
    }
}
