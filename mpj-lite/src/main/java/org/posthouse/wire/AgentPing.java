package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * By which an agent measures the round trip to its relay (docs/wire.md, AGENT_PING and AGENT_PONG).
 *
 * @param number chosen by the agent; the relay's answer repeats it
 */
public record AgentPing(long number) {
    /** Encodes as {@code type}: AGENT_PING or AGENT_PONG. */
    public ByteBuffer encode(FrameType type) {
        return new FrameWriter(type, 0, type.bytesMax()).i64(number).finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is missing
     */
    public static AgentPing decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        AgentPing ping = new AgentPing(in.i64("number"));
        in.end();
        return ping;
    }
}
