package org.posthouse.core;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Reason;
import org.posthouse.wire.WireException;

/**
 * What a rank has sent to other sites: the last sequence number of each channel, and the large messages that are not
 * wholly sent. The home relay checks here, so that a rank that breaks the protocol loses its own connection and never
 * the link that many ranks share. Confined to the relay core.
 */
final class Outgoing {
    private record Channel(int context, int destination) {}

    /** A message whose chunks follow. */
    private static final class Sending {
        private final boolean offered;
        private final long bytes;
        private long sent;
        private long granted;
        private boolean cleared;
        private boolean withdrawing;

        private Sending(boolean offered, long bytes, long granted) {
            this.offered = offered;
            this.bytes = bytes;
            this.granted = granted;
        }

        /** Whether nothing more is to come, from either end. */
        private boolean isOver() {
            return sent == bytes && (cleared || !offered) && !withdrawing;
        }
    }

    private final Map<Channel, Long> sequences = new HashMap<>();
    private final Map<HomedRank.Transfer, Sending> sending = new HashMap<>();

    /** Checks and counts the frame that begins a message. */
    void begin(FrameView view) throws WireException {
        Channel channel = new Channel(view.context(), view.destination());
        long expected = sequences.getOrDefault(channel, 0L) + 1;
        if (view.sequence() != expected) {
            throw new WireException(
                    Reason.SEQUENCE_GAP,
                    "sequence " + view.sequence() + " to rank " + view.destination() + " in context " + view.context()
                            + ", expected " + expected);
        }
        sequences.put(channel, expected);
        long bytes = view.messageBytes();
        if (view.type() != FrameType.SEND) {
            boolean offered = view.type() == FrameType.OFFER;
            sending.put(transfer(view), new Sending(offered, bytes, offered ? 0 : bytes));
        }
    }

    /** Whether this message was begun before. */
    boolean has(FrameView view) {
        return view.sequence() <= lastSequence(view.context(), view.destination());
    }

    /** Whether this chunk was passed on before. */
    boolean hasPassed(FrameView view) {
        Sending message = sending.get(transfer(view));
        return message == null ? has(view) : view.offset() < message.sent;
    }

    /** Tells of each channel and its last sequence number. */
    void forEachChannel(ChannelVisitor visitor) {
        sequences.forEach((channel, last) -> visitor.channel(channel.context, channel.destination, last));
    }

    /** Tells of each message that is not wholly sent, or unmatched. */
    void forEachOpen(BiConsumer<HomedRank.Transfer, Open> visitor) {
        sending.forEach((transfer, message) -> visitor.accept(
                transfer,
                new Open(
                        message.offered ? FrameType.OFFER : FrameType.EAGER,
                        message.sent,
                        message.offered && message.cleared ? message.granted : Repeats.NOT_CLEARED,
                        message.withdrawing)));
    }

    /**
     * A message that is not wholly sent, or unmatched.
     *
     * @param form EAGER or OFFER
     * @param sent bytes that were passed on
     * @param clearedUpTo up to where its rank was told to send, or {@link Repeats#NOT_CLEARED}
     * @param withdrawing whether its rank wants it back
     */
    record Open(FrameType form, long sent, long clearedUpTo, boolean withdrawing) {}

    /** Is told of a channel. */
    interface ChannelVisitor {
        void channel(int context, int peer, long sequence);
    }

    /** The last sequence number in this channel; 0 if there was none. */
    long lastSequence(int context, int destination) {
        return sequences.getOrDefault(new Channel(context, destination), 0L);
    }

    /** Checks and counts a chunk. */
    void chunk(FrameView view, int chunkBytes) throws WireException {
        HomedRank.Transfer transfer = transfer(view);
        Sending message = sending.get(transfer);
        if (message == null) {
            throw new WireException(Reason.NOT_EXPECTED, "chunk of a message that is not being sent: " + transfer);
        }
        Transfers.checkChunk(view, chunkBytes, message.sent, message.granted, message.bytes);
        message.sent += chunkBytes;
        removeIfOver(transfer, message);
    }

    private void removeIfOver(HomedRank.Transfer transfer, Sending message) {
        if (message.isOver()) {
            sending.remove(transfer);
        }
    }

    /** The other end has granted more of an offered message; true the first time: it was matched. */
    boolean granted(FrameView clear) throws WireException {
        HomedRank.Transfer transfer = transfer(clear);
        Sending message = sending.get(transfer);
        if (message == null || !message.offered) {
            throw new WireException(Reason.NOT_EXPECTED, "CLEAR of a message that was not offered: " + transfer);
        }
        long upTo = clear.offset();
        if (upTo < 0 || upTo > message.bytes || upTo <= message.granted && (message.bytes > 0 || message.cleared)) {
            throw new WireException(
                    Reason.MALFORMED_FRAME,
                    "CLEAR up to " + upTo + " of " + message.bytes + " bytes, " + message.granted + " are cleared already");
        }
        boolean first = !message.cleared;
        message.granted = upTo;
        message.cleared = true;
        removeIfOver(transfer, message);
        return first;
    }

    /** The rank wants an offered message back; false if it is known to be too late. */
    boolean withdraw(FrameView view) throws WireException {
        HomedRank.Transfer transfer = transfer(view);
        Sending message = sending.get(transfer);
        if (message != null && (!message.offered || message.withdrawing)) {
            throw new WireException(Reason.NOT_EXPECTED, "WITHDRAW of a message that cannot be withdrawn: " + transfer);
        }
        if (message == null || message.cleared) {
            return false;
        }
        message.withdrawing = true;
        return true;
    }

    /** The other end has answered a WITHDRAW. */
    void withdrawn(FrameView view) throws WireException {
        HomedRank.Transfer transfer = transfer(view);
        Sending message = sending.get(transfer);
        boolean gone = (view.flags() & FrameView.FOUND) != 0;
        if (message == null || !message.withdrawing || gone && message.cleared) {
            throw new WireException(
                    Reason.NOT_EXPECTED, "WITHDRAWN of a message that was not to be withdrawn: " + transfer);
        }
        message.withdrawing = false;
        if (gone) {
            sending.remove(transfer);
        } else {
            removeIfOver(transfer, message);
        }
    }

    private static HomedRank.Transfer transfer(FrameView view) {
        return new HomedRank.Transfer(view.context(), view.destination(), view.sequence());
    }
}
