package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Reads the variable part of a control frame. Short or malformed content ends in a {@link WireException}. */
final class FrameReader {
    private final ByteBuffer in;
    private final String type;

    /** Reads {@code frame} (position = frame start, limit = frame end), starting behind its header. */
    FrameReader(ByteBuffer frame) {
        this.type = FrameType.of(frame.get(frame.position() + 4)).name();
        this.in = frame.duplicate();
        in.position(frame.position() + Wire.HEADER_BYTES);
    }

    /** Reads the rest of {@code body}, which is part of a frame. {@code type} names it in errors. */
    FrameReader(String type, ByteBuffer body) {
        this.type = type;
        this.in = body.duplicate();
    }

    /** Name of the frame, for errors. */
    String type() {
        return type;
    }

    int u8(String what) throws WireException {
        need(1, what);
        return in.get() & 0xff;
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

    /** An integer of {@code [min, max]}. */
    int i32(String what, int min, int max) throws WireException {
        return (int) inRange(i32(what), what, min, max);
    }

    /** A long of {@code [min, max]}. */
    long i64(String what, long min, long max) throws WireException {
        return inRange(i64(what), what, min, max);
    }

    /** Two bytes that are 0 or 1. */
    boolean flag(String what) throws WireException {
        return inRange(u16(what), what, 0, 1) == 1;
    }

    private long inRange(long value, String what, long min, long max) throws WireException {
        if (value < min || value > max) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME, type + " with " + what + " " + value + ", expected " + min + " to " + max);
        }
        return value;
    }

    Token token(String what) throws WireException {
        return new Token(i64(what), i64(what));
    }

    String text(String what) throws WireException {
        return utf8(u16(what), what);
    }

    /** A text whose length has four bytes. */
    String longText(String what) throws WireException {
        return utf8(i32("length of " + what, 0, Integer.MAX_VALUE), what);
    }

    /** All bytes that are left, at least {@code min}: a view of the frame. */
    ByteBuffer rest(int min, String what) throws WireException {
        need(min, what);
        ByteBuffer rest = in.slice().asReadOnlyBuffer();
        in.position(in.limit());
        return rest;
    }

    private String utf8(int bytes, String what) throws WireException {
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
