package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * What an agent's relay has decided (docs/wire.md, DETECTOR_VERDICT).
 *
 * @param job the job's id
 * @param suspect number of the agent that was silent
 * @param asker number of the agent that has asked; 0 to a launcher
 * @param askerHome index of the asker's relay in the job's homes
 * @param isDead whether the suspect is dead: its relay has closed its connection
 */
public record DetectorVerdict(long job, long suspect, long asker, int askerHome, boolean isDead) {
    public ByteBuffer encode() {
        return new FrameWriter(FrameType.DETECTOR_VERDICT, job, FrameType.DETECTOR_VERDICT.bytesMax())
                .i64(suspect)
                .i64(asker)
                .u16(askerHome)
                .flag(isDead)
                .finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is missing or out of range
     */
    public static DetectorVerdict decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        long job = new FrameView().wrap(frame, frame.position()).job();
        DetectorVerdict verdict = new DetectorVerdict(job, in.i64("suspect"), in.i64("asker"), in.u16("asker's home"), in.flag("dead"));
        in.end();
        return verdict;
    }
}
