package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * A process of a rank is dead. From a launcher: a process has ended that the rank's home relay may not know of. From a relay: the
 * rank's home relay has declared it dead, and nothing more comes from that process.
 *
 * @param job the job's id
 * @param rank world rank
 * @param incarnation of the process, from 1
 */
public record RankFailed(long job, int rank, int incarnation) {
    public ByteBuffer encode() {
        return new FrameWriter(FrameType.RANK_FAILED, job, FrameType.RANK_FAILED.bytesMax()).i32(rank).i32(incarnation).finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is out of range
     */
    public static RankFailed decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        RankFailed failed = new RankFailed(new FrameView().wrap(frame, frame.position()).job(), in.i32("rank"), in.i32("incarnation"));
        if (failed.rank < 0 || failed.incarnation < 1) {
            throw new WireException(CloseReason.MALFORMED_FRAME, failed + ", expected a rank of 0 or more and an incarnation of 1 or more");
        }
        return failed;
    }
}
