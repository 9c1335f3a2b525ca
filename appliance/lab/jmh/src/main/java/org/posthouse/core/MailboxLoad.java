package org.posthouse.core;

import java.nio.ByteBuffer;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * One mailbox with unexpected messages in it, and exchanges that leave as many behind as they found: one message comes,
 * one receive is posted. Confined to one thread at a time. For benches, also of other packages.
 */
public final class MailboxLoad {
    public static final int ANY = Wire.ANY;

    /** The source whose messages are received, and where its messages' tag differs from those that wait. */
    public static final int SOURCE = 0;

    public static final int TAG = 7;

    private static final int OTHER_TAG = 8;
    private static final int RANKS = 64;
    private static final int CONTEXT = 0;

    /** Bytes that nobody looks into. */
    private static final Parcel PARCEL = new Parcel() {
        @Override
        public int payloadBytes() {
            return 0;
        }

        @Override
        public void settle() {
            // Nothing is shared.
        }

        @Override
        public void release() {
            // Nothing is held.
        }
    };

    private final Mailbox mailbox = new Mailbox(RANKS);
    private final long[] sequences = new long[RANKS];
    private final FrameView view =
            new FrameView().wrap(ByteBuffer.allocate(Wire.MESSAGE_HEADER_BYTES), 0).begin(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, 1);
    private int requests;

    /** Lets {@code messages} wait that other sources have sent, one after the other. */
    public void waitFromOthers(int messages) {
        for (int i = 0; i < messages; i++) {
            arrive(1 + i % (RANKS - 1), OTHER_TAG);
        }
    }

    /** Lets {@code messages} wait in the very channel that is received from, with another tag. */
    public void waitWithOtherTag(int messages) {
        for (int i = 0; i < messages; i++) {
            arrive(SOURCE, OTHER_TAG);
        }
    }

    private Message arrive(int source, int tag) {
        view.address(CONTEXT, source, 1, tag).sequence(++sequences[source]).content(0, 0, 1);
        Message message = Message.of(view, PARCEL);
        mailbox.accept(message, mailbox.matchFor(CONTEXT, source, tag));
        return message;
    }

    private Message receive(int source, int tag) {
        return mailbox.post(Receive.of(CONTEXT, source, tag, ++requests), requests);
    }

    /** A message comes unexpected and is received by a receive with this pattern. @return the message that was received */
    public Object arriveThenReceive(int source, int tag) {
        arrive(SOURCE, TAG);
        return found(receive(source, tag));
    }

    /** A receive is posted, and the message that it waits for comes. */
    public Object receiveThenArrive(int source, int tag) {
        if (receive(source, tag) != null) {
            throw new IllegalStateException("the receive was to wait, but found a message");
        }
        return found(arrive(SOURCE, TAG).receive());
    }

    /** How many messages wait. */
    public int unexpected() {
        return mailbox.unexpected();
    }

    private static Object found(Object match) {
        if (match == null) {
            throw new IllegalStateException("a receive found no message that was there for it");
        }
        return match;
    }
}
