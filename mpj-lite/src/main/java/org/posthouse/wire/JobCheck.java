package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * Asks a relay whether it has a job, and answers that (docs/wire.md, JOB_CHECK).
 *
 * @param job the job's id
 * @param isOpen whether the relay has it; false from an agent, which asks
 */
public record JobCheck(long job, boolean isOpen) {
    public ByteBuffer encode() {
        return new FrameWriter(FrameType.JOB_CHECK, job, FrameType.JOB_CHECK.bytesMax()).flag(isOpen).finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is out of range
     */
    public static JobCheck decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        JobCheck check = new JobCheck(new FrameView().wrap(frame, frame.position()).job(), in.flag("open"));
        in.end();
        return check;
    }
}
