package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Reads the variable part of a control frame. Short or malformed content ends in a {@link WireException}. */
final class FrameReader {
    private final ByteBuffer in;
    private final FrameType type;

    /** Reads {@code frame} (position = frame start, limit = frame end), starting behind its header. */
    FrameReader(ByteBuffer frame) {
        this.type = FrameType.of(frame.get(frame.position() + 4));
        this.in = frame.duplicate();
        in.position(frame.position() + Wire.HEADER_BYTES);
    }

    int u16(String what) throws WireException {
        need(2, what);
        return in.getShort() & 0xffff;
    }

    int i32(String what) throws WireException {
        need(4, what);
        return in.getInt();
    }

    long i64(String what) throws WireException {
        need(8, what);
        return in.getLong();
    }

    /** Two bytes that must be zero in version 2. */
    void zero16() throws WireException {
        checkZero(u16("reserved bytes"));
    }

    /** Four bytes that must be zero in version 2. */
    void zero32() throws WireException {
        checkZero(i32("reserved bytes"));
    }

    private void checkZero(long found) throws WireException {
        if (found != 0) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME, type + " with reserved bytes 0x" + Long.toHexString(found) + ", expected zero");
        }
    }

    String text(String what) throws WireException {
        int bytes = u16(what);
        need(bytes, what);
        byte[] utf8 = new byte[bytes];
        in.get(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    /**
     * Reads a count of {@code what} that follow, each at least {@code bytesEach} long. A count that cannot fit is
     * refused.
     */
    int count(int bytesEach, String what) throws WireException {
        int count = i32("count of " + what);
        expect(count, bytesEach, what);
        return count;
    }

    /** Refuses a count of items that cannot all follow. */
    void expect(int count, int bytesEach, String what) throws WireException {
        if (count < 0 || (long) count * bytesEach > in.remaining()) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME, type + " announces " + count + " " + what + " in " + in.remaining() + " bytes");
        }
    }

    void end() throws WireException {
        if (in.hasRemaining()) {
            throw new WireException(CloseReason.MALFORMED_FRAME, type + " with " + in.remaining() + " bytes too many");
        }
    }

    private void need(int bytes, String what) throws WireException {
        if (in.remaining() < bytes) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME,
                    type + " ends before its " + what + ": " + in.remaining() + " bytes left, expected " + bytes);
        }
    }
}
