package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Builds one control frame in a buffer of its own. Control frames are rare; this allocates. */
final class FrameWriter {
    private final ByteBuffer out;

    FrameWriter(FrameType type, long job) {
        this(type, job, Wire.FRAME_BYTES_MAX);
    }

    FrameWriter(FrameType type, long job, int bytesMax) {
        out = ByteBuffer.allocate(bytesMax);
        new FrameView().wrap(out, 0).begin(type, Wire.HEADER_BYTES, job);
        out.position(Wire.HEADER_BYTES);
    }

    FrameWriter u16(int value) {
        out.putShort((short) value);
        return this;
    }

    FrameWriter i32(int value) {
        out.putInt(value);
        return this;
    }

    FrameWriter i64(long value) {
        out.putLong(value);
        return this;
    }

    /** UTF-8 behind its length; cut at {@code bytesMax} bytes, at a character's border. */
    FrameWriter text(String text, int bytesMax) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        int bytes = Math.min(utf8.length, bytesMax);
        while (bytes < utf8.length && bytes > 0 && (utf8[bytes] & 0xc0) == 0x80) {
            bytes--;
        }
        u16(bytes);
        out.put(utf8, 0, bytes);
        return this;
    }

    /** The finished frame: position 0, limit at its end. */
    ByteBuffer finish() {
        out.putInt(0, out.position());
        return out.flip();
    }
}
