package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * A launcher's confirmation that it has kept a rank's output for a later launcher, up to a count, or all of it when the
 * rank is done.
 *
 * @param job the job's id
 * @param rank world rank
 * @param incarnation of its process; 0 if the rank is done
 * @param out bytes that this process has printed to its standard output
 * @param err the same of its standard error
 */
public record JobKept(long job, int rank, int incarnation, long out, long err) {
    private static final int DONE = 0;

    /** The rank's last process has ended normally, and no other is started. */
    public static JobKept done(long job, int rank) {
        return new JobKept(job, rank, DONE, 0, 0);
    }

    /** Whether no other process of the rank is started, by this launcher or a later one. */
    public boolean isDone() {
        return incarnation == DONE;
    }

    public ByteBuffer encode() {
        return new FrameWriter(FrameType.JOB_KEPT, job, FrameType.JOB_KEPT.bytesMax()).i32(rank).i32(incarnation).i64(out).i64(err).finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is out of range
     */
    public static JobKept decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        JobKept kept = new JobKept(
                new FrameView().wrap(frame, frame.position()).job(),
                in.i32("rank"),
                in.i32("incarnation"),
                in.i64("bytes printed"),
                in.i64("bytes printed"));
        if (kept.rank < 0 || kept.incarnation < 0 || kept.out < 0 || kept.err < 0 || kept.isDone() && (kept.out | kept.err) != 0) {
            throw new WireException(CloseReason.MALFORMED_FRAME, kept + " with a number that is none");
        }
        return kept;
    }
}
