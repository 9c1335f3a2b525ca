package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * The body that ABORT, CLOSE and JOB_CLOSE share: a code, the rank it is about, and a line for people.
 *
 * @param job the job's id, or 0 if no job is meant
 * @param code ABORT and JOB_CLOSE: the job's exit status; CLOSE: a {@link CloseReason} code
 * @param rank the rank that caused it, or -1
 * @param text what happened; may be empty
 */
public record CloseNotice(long job, int code, int rank, String text) {
    private static final int TEXT_BYTES_MAX = 4096;

    /** A CLOSE with this reason; {@code detail} says what was found and expected. */
    public static CloseNotice closing(long job, CloseReason closeReason, String detail) {
        return new CloseNotice(job, closeReason.code(), -1, detail);
    }

    public CloseReason reason() {
        return CloseReason.of(code);
    }

    /** The close for people: the reason's name and the text; of an ordinary end, which has no fault to look up, the text alone. */
    public String words() {
        CloseReason reason = reason();
        String what = text.isEmpty() ? reason.meaning() : text;
        return reason == CloseReason.NORMAL ? what : reason + ": " + what;
    }

    /** Encodes as {@code type}: ABORT, CLOSE or JOB_CLOSE. */
    public ByteBuffer encode(FrameType type) {
        return new FrameWriter(type, job, Wire.HEADER_BYTES + 16 + TEXT_BYTES_MAX)
                .i32(code)
                .i32(rank)
                .i32(0)
                .text(text, TEXT_BYTES_MAX)
                .u16(0)
                .finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is missing
     */
    public static CloseNotice decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        long job = new FrameView().wrap(frame, frame.position()).job();
        int code = in.i32("code");
        int rank = in.i32("rank");
        in.zero32();
        String text = in.text("text");
        in.zero16();
        in.end();
        return new CloseNotice(job, code, rank, text);
    }
}
