package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * Tells a rank that has joined a joint job which is logged that one of its two jobs has ended. The joint job stays at the relay, as
 * processes that are restarted replay what they had done there. One that is not logged ends with ABORT.
 *
 * @param job the rank's own job
 * @param joint the joint job's id
 * @param why what has ended, for people
 */
public record JointEnded(long job, long joint, String why) {
    private static final int TEXT_BYTES_MAX = 4_096;

    public ByteBuffer encode() {
        return new FrameWriter(FrameType.JOINT_ENDED, job).i64(joint).text(why, TEXT_BYTES_MAX).finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is missing
     */
    public static JointEnded decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        JointEnded ended = new JointEnded(new FrameView().wrap(frame, frame.position()).job(), in.i64("joint job"), in.text("reason"));
        in.end();
        return ended;
    }
}
