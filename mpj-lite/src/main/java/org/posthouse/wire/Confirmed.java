package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Tells a follower which of its messages its leader has sent, equal to its own, and which are stable. The follower may drop its
 * copies of them.
 *
 * @param job the job's id
 * @param messages at least one, at most {@link #MESSAGES_MAX}
 */
public record Confirmed(long job, List<Message> messages) {
    /** Most messages that a follower may have claimed and that are not confirmed. At the limit it waits with its next send. */
    public static final int UNCONFIRMED_MAX = 16_384;

    /** Most messages of one frame. */
    public static final int MESSAGES_MAX = 4_096;

    static final int HEADER_BYTES = 24;
    static final int MESSAGE_BYTES = 16;

    /** A message of the follower's rank. */
    public record Message(int context, int destination, long sequence) {}

    public Confirmed {
        messages = List.copyOf(messages);
    }

    public ByteBuffer encode() {
        FrameWriter out = new FrameWriter(FrameType.CONFIRMED, job, HEADER_BYTES + MESSAGE_BYTES * messages.size()).i32(messages.size()).i32(0);
        for (Message message : messages) {
            out.i32(message.context).i32(message.destination).i64(message.sequence);
        }
        return out.finish();
    }

    /**
     * Reads a frame whose header was checked.
     *
     * @throws WireException if a field is out of range
     */
    public static Confirmed decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        int count = in.i32("count of messages", 1, MESSAGES_MAX);
        in.zero32();
        in.expect(count, MESSAGE_BYTES, "messages");
        List<Message> messages = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            messages.add(new Message(
                    in.i32("context"), in.i32("destination", 0, Integer.MAX_VALUE), in.i64("sequence number", 1, Long.MAX_VALUE)));
        }
        in.end();
        return new Confirmed(new FrameView().wrap(frame, frame.position()).job(), messages);
    }
}
