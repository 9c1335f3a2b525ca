package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * Asks an agent to take no new job, or to take jobs again (docs/wire.md, AGENT_DRAIN). It answers with an AGENT_OFFER.
 *
 * @param agent number of the agent
 * @param drain whether it takes no new job from now on
 */
public record AgentDrain(long agent, boolean drain) {
    public ByteBuffer encode() {
        return new FrameWriter(FrameType.AGENT_DRAIN, 0, FrameType.AGENT_DRAIN.bytesMax()).i64(agent).flag(drain).finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is out of range
     */
    public static AgentDrain decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        AgentDrain drain = new AgentDrain(in.i64("agent"), in.flag("drain"));
        in.end();
        return drain;
    }
}
