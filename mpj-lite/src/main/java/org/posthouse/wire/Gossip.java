package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * Carries a message from one host's failure detector to another's (docs/wire.md, GOSSIP). Relays pass it on and do not
 * read the message.
 *
 * @param job the job's id
 * @param agent number of the agent that it is for
 * @param home index of that agent's relay in the job's homes
 * @param from number of the sending host in the job
 * @param message an encoded {@link DetectorMessage}
 */
public record Gossip(long job, long agent, int home, int from, ByteBuffer message) {
    public ByteBuffer encode() {
        return new FrameWriter(FrameType.GOSSIP, job, DetectorMessage.FRAME_HEADER_BYTES + message.remaining())
                .i64(agent)
                .u16(home)
                .u16(from)
                .bytes(message)
                .finish();
    }

    /**
     * Reads a frame whose header was checked. The message is a view of the frame.
     *
     * @throws WireException if a field is missing
     */
    public static Gossip decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        long job = new FrameView().wrap(frame, frame.position()).job();
        return new Gossip(job, in.i64("agent"), in.u16("home"), in.u16("sender"), in.rest(1, "message"));
    }
}
