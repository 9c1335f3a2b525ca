package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * A message between a launcher and an agent, and the addresses by which their relay passes it on (docs/wire.md,
 * AGENT_MESSAGE). The relay does not read the body.
 *
 * @param job the job that the message is about
 * @param agent number of the agent
 * @param launcher number of the launcher's connection at the relay; 0 from a launcher, as the relay fills it in
 * @param body 1 to 65,536 bytes, an encoded {@link AgentMessage}
 */
public record AgentEnvelope(long job, long agent, long launcher, ByteBuffer body) {
    /** An envelope around this message. */
    public static AgentEnvelope of(long job, long agent, long launcher, AgentMessage message) {
        return new AgentEnvelope(job, agent, launcher, message.encode());
    }

    /** The same message from the launcher's connection with this number. */
    public AgentEnvelope from(long number) {
        return new AgentEnvelope(job, agent, number, body);
    }

    /** An answer to the sender of this message. */
    public AgentEnvelope answer(AgentMessage message) {
        return of(job, agent, launcher, message);
    }

    /**
     * The message in the body.
     *
     * @throws WireException if it is none
     */
    public AgentMessage message() throws WireException {
        return AgentMessage.decode(body);
    }

    public ByteBuffer encode() {
        return new FrameWriter(FrameType.AGENT_MESSAGE, job, Wire.AGENT_HEADER_BYTES + body.remaining())
                .i64(agent)
                .i64(launcher)
                .bytes(body)
                .finish();
    }

    /**
     * Reads a frame whose header was checked. The body is a view of the frame.
     *
     * @throws WireException if a field is missing
     */
    public static AgentEnvelope decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        long job = new FrameView().wrap(frame, frame.position()).job();
        return new AgentEnvelope(job, in.i64("agent"), in.i64("launcher"), in.rest(1, "message"));
    }
}
