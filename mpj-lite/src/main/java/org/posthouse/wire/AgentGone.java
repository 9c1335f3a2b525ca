package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * One end of a conversation between a launcher and an agent is gone (docs/wire.md, AGENT_GONE).
 *
 * @param end to a launcher: number of the agent; to an agent: number of the launcher's connection
 * @param why for people
 */
public record AgentGone(long end, String why) {
    private static final int TEXT_BYTES_MAX = 4096;

    public ByteBuffer encode() {
        return new FrameWriter(FrameType.AGENT_GONE, 0, FrameType.AGENT_GONE.bytesMin() + TEXT_BYTES_MAX)
                .i64(end)
                .text(why, TEXT_BYTES_MAX)
                .finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is missing
     */
    public static AgentGone decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        AgentGone gone = new AgentGone(in.i64("end"), in.text("why"));
        in.end();
        return gone;
    }
}
