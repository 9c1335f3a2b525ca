package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * By which a relay asks its own agent whether it lives; the agent sends the same back (docs/wire.md, DETECTOR_CHECK).
 *
 * @param agent number of the agent
 */
public record DetectorCheck(long agent) {
    public ByteBuffer encode() {
        return new FrameWriter(FrameType.DETECTOR_CHECK, 0, FrameType.DETECTOR_CHECK.bytesMax()).i64(agent).finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is missing
     */
    public static DetectorCheck decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        DetectorCheck check = new DetectorCheck(in.i64("agent"));
        in.end();
        return check;
    }
}
