package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * What a relay tells a job's launcher about one rank.
 *
 * @param job the job's id
 * @param kind one of the constants below
 * @param rank world rank
 * @param code {@link #ABORTED}: the status given to Abort; {@link #LOST} and {@link #REFUSED}: a {@link Reason} code
 * @param text a line for people; may be empty
 */
public record JobEvent(long job, int kind, int rank, int code, String text) {
    public static final int CONNECTED = 1;
    public static final int FINALIZED = 2;
    public static final int ABORTED = 3;
    /** The rank's connection ended before it called Finalize. */
    public static final int LOST = 4;
    /** Somebody who claimed to be this rank was turned away. */
    public static final int REFUSED = 5;
    /** The job is closed at this relay; the last event of a job. The rank is -1. */
    public static final int CLOSED = 6;

    private static final int TEXT_BYTES_MAX = 4096;

    public ByteBuffer encode() {
        return new FrameWriter(FrameType.JOB_EVENT, job)
                .i32(kind)
                .i32(rank)
                .i32(code)
                .text(text, TEXT_BYTES_MAX)
                .u16(0)
                .finish();
    }

    /** Reads a frame whose header was checked. @throws WireException if a field is missing */
    public static JobEvent decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame, Wire.HEADER_BYTES);
        JobEvent event = new JobEvent(
                new FrameView().wrap(frame, frame.position()).job(),
                in.i32("kind"),
                in.i32("rank"),
                in.i32("code"),
                in.text("text"));
        in.zero16();
        in.end();
        if (event.kind < CONNECTED || event.kind > CLOSED) {
            throw new WireException(Reason.MALFORMED_FRAME, "JOB_EVENT of kind " + event.kind + ", expected 1 to 6");
        }
        return event;
    }
}
