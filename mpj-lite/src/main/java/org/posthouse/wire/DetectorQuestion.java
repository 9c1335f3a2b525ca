package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * Asks the relay of a silent agent whether that is dead (docs/wire.md, DETECTOR_QUESTION).
 *
 * @param job the job's id
 * @param suspect number of the silent agent
 * @param home index of the suspect's relay in the job's homes
 * @param asker number of the agent that asks
 * @param askerHome index of the asker's relay in the job's homes
 * @param periodMs length of a round of the job's detectors
 */
public record DetectorQuestion(long job, long suspect, int home, long asker, int askerHome, int periodMs) {
    public ByteBuffer encode() {
        return new FrameWriter(FrameType.DETECTOR_QUESTION, job, FrameType.DETECTOR_QUESTION.bytesMax())
                .i64(suspect)
                .u16(home)
                .i64(asker)
                .u16(askerHome)
                .i32(periodMs)
                .finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is missing or out of range
     */
    public static DetectorQuestion decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        long job = new FrameView().wrap(frame, frame.position()).job();
        DetectorQuestion question = new DetectorQuestion(
                job, in.i64("suspect"), in.u16("home"), in.i64("asker"), in.u16("asker's home"), in.i32("period", 1, AgentMessage.Detect.PERIOD_MS_MAX));
        in.end();
        return question;
    }
}
