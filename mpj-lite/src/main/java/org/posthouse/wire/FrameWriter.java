package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Builds one control frame in a buffer of its own. It allocates, since control frames are rare. Content that does not
 * fit one frame ends in an IllegalArgumentException that names the frame and the limit.
 */
final class FrameWriter {
    private static final int NAME_BYTES_MAX = 255;

    /** Bytes allocated at first: any frame fits. */
    private static final int INITIAL_BYTES_MAX = Wire.FRAME_BYTES_MAX;

    private final String type;
    private final int bytesMax;
    private final String tooLong;
    private ByteBuffer out;

    FrameWriter(FrameType type, long job) {
        this(type, job, Wire.FRAME_BYTES_MAX);
    }

    FrameWriter(FrameType type, long job, int bytesMax) {
        this.type = type.name();
        this.bytesMax = bytesMax;
        this.tooLong = ": too many channels, relays or ranks for one frame";
        out = ByteBuffer.allocate(bytesMax);
        new FrameView().wrap(out, 0).begin(type, Wire.HEADER_BYTES, job);
        out.position(Wire.HEADER_BYTES);
    }

    /** Builds a part of one or more frames. {@code type} names it in errors. */
    FrameWriter(String type, int bytesMax) {
        this.type = type;
        this.bytesMax = bytesMax;
        this.tooLong = "";
        out = ByteBuffer.allocate(Math.min(bytesMax, INITIAL_BYTES_MAX));
    }

    FrameWriter u8(int value) {
        room(Byte.BYTES).put((byte) value);
        return this;
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

    FrameWriter flag(boolean value) {
        return u16(value ? 1 : 0);
    }

    FrameWriter token(Token token) {
        return i64(token.high()).i64(token.low());
    }

    /** Writes the remaining bytes of {@code bytes}, whose position stays. */
    FrameWriter bytes(ByteBuffer bytes) {
        room(bytes.remaining()).put(bytes.duplicate());
        return this;
    }

    /** Writes all of a text as UTF-8 behind its length in four bytes. */
    FrameWriter longText(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        i32(utf8.length);
        room(utf8.length).put(utf8);
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
        if (bytesMax - out.position() < bytes) {
            throw new IllegalArgumentException(
                    type + " of more than " + bytesMax + " bytes" + tooLong);
        }
        if (out.remaining() < bytes) {
            long twice = 2L * (out.position() + bytes);
            out = ByteBuffer.allocate((int) Math.min(bytesMax, twice)).put(out.flip());
        }
        return out;
    }

    /** The finished frame: position 0, limit at its end. */
    ByteBuffer finish() {
        out.putInt(0, out.position());
        return out.flip();
    }

    /** The finished part of a frame: position 0, limit at its end. */
    ByteBuffer finishPart() {
        return out.flip();
    }
}
