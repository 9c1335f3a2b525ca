package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Builds one control frame in a buffer of its own. It allocates, since control frames are rare. Content that does not
 * fit one frame ends in an IllegalArgumentException that names the frame and the limit.
 */
final class FrameWriter {
    private static final int NAME_BYTES_MAX = 255;

    private final FrameType type;
    private final ByteBuffer out;

    FrameWriter(FrameType type, long job) {
        this(type, job, Wire.FRAME_BYTES_MAX);
    }

    FrameWriter(FrameType type, long job, int bytesMax) {
        this.type = type;
        out = ByteBuffer.allocate(bytesMax);
        new FrameView().wrap(out, 0).begin(type, Wire.HEADER_BYTES, job);
        out.position(Wire.HEADER_BYTES);
    }

    FrameWriter u16(int value) {
        room(Short.BYTES).putShort((short) value);
        return this;
    }

    FrameWriter i32(int value) {
        room(Integer.BYTES).putInt(value);
        return this;
    }

    FrameWriter i64(long value) {
        room(Long.BYTES).putLong(value);
        return this;
    }

    /** Writes UTF-8 behind its length, truncated to {@code bytesMax} bytes between two characters. */
    FrameWriter text(String text, int bytesMax) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        int bytes = cut(utf8, bytesMax);
        u16(bytes);
        room(bytes).put(utf8, 0, bytes);
        return this;
    }

    /** Writes the name of a site, a relay or a job, or an address, as {@link #text}. */
    FrameWriter name(String name) {
        return text(name, NAME_BYTES_MAX);
    }

    /** The bytes that {@link #name} writes. */
    static int nameBytes(String name) {
        return Short.BYTES + cut(name.getBytes(StandardCharsets.UTF_8), NAME_BYTES_MAX);
    }

    private static int cut(byte[] utf8, int bytesMax) {
        int bytes = Math.min(utf8.length, bytesMax);
        while (bytes < utf8.length && bytes > 0 && (utf8[bytes] & 0xc0) == 0x80) {
            bytes--;
        }
        return bytes;
    }

    private ByteBuffer room(int bytes) {
        if (out.remaining() < bytes) {
            throw new IllegalArgumentException(
                    type + " of more than " + out.capacity() + " bytes: too many channels, relays or ranks for one frame");
        }
        return out;
    }

    /** The finished frame: position 0, limit at its end. */
    ByteBuffer finish() {
        out.putInt(0, out.position());
        return out.flip();
    }
}
