package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * Ends a stream in both directions at once: it was refused, or one end failed.
 *
 * @param stream its number on the link
 * @param code a {@link CloseReason} code
 * @param text what happened; may be empty
 */
public record StreamEnd(int stream, int code, String text) {
    private static final int TEXT_BYTES_MAX = 4096;

    public StreamEnd(int stream, CloseReason closeReason, String text) {
        this(stream, closeReason.code(), text);
    }

    public CloseReason reason() {
        return CloseReason.of(code);
    }

    public ByteBuffer encode() {
        return new FrameWriter(FrameType.STREAM_END, 0, Wire.HEADER_BYTES + 12 + TEXT_BYTES_MAX)
                .i32(stream)
                .i32(code)
                .text(text, TEXT_BYTES_MAX)
                .u16(0)
                .finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is missing
     */
    public static StreamEnd decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        StreamEnd end = new StreamEnd(in.i32("stream"), in.i32("code"), in.text("text"));
        in.zero16();
        in.end();
        return end;
    }
}
