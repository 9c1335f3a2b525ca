package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * Asks an agent to end (docs/wire.md, AGENT_END). It takes no new job.
 *
 * @param agent number of the agent
 * @param now whether it ends at once, with its ranks; if not, it ends when its last job has left
 */
public record AgentEnd(long agent, boolean now) {
    public ByteBuffer encode() {
        return new FrameWriter(FrameType.AGENT_END, 0, FrameType.AGENT_END.bytesMax()).i64(agent).flag(now).finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is out of range
     */
    public static AgentEnd decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        AgentEnd end = new AgentEnd(in.i64("agent"), in.flag("now"));
        in.end();
        return end;
    }
}
