package org.posthouse.core;

import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.WireException;

/**
 * Tracks what a rank has sent to other cores: the last sequence number of each channel, and the large messages that are
 * not wholly sent. The home relay checks frames against it. A rank that breaks the protocol then loses its own
 * connection and not the link that many ranks share. Confined to the relay core.
 */
final class SendState {
    private record Channel(int context, int destination) {}

    /** The state of one channel. */
    private static final class Sequence {
        private final int context;
        private final int destination;
        private long last;

        /**
         * Whether only the rank's resent frames tell of it. Messages behind {@link #last} may be stable at their
         * destination, and are then not resent.
         */
        private boolean mayHaveMore;

        private Sequence(int context, int destination, long last) {
            this.context = context;
            this.destination = destination;
            this.last = last;
        }
    }

    /** A message whose chunks follow. */
    private static final class Sending {
        private final boolean offered;
        private final long bytes;
        private long sent;
        private long granted;
        private boolean cleared;
        private boolean withdrawing;

        /** Whether it is unknown how far it was cleared, and no CLEAR has come yet. */
        private boolean believed;

        /**
         * Whether it was begun before this core. An earlier process of the relay may have cleared its rank further than
         * this core knows.
         */
        private boolean begunBefore;

        private Sending(boolean offered, long bytes, long granted) {
            this.offered = offered;
            this.bytes = bytes;
            this.granted = granted;
        }

        /** Whether neither end will send more of it. */
        private boolean isOver() {
            return sent == bytes && (cleared || !offered) && !withdrawing;
        }
    }

    private final Map<Channel, Sequence> sequences = new HashMap<>();

    /** The channel that was looked up last, which usually is the next one too; null before the first. */
    private Sequence latest;

    private final Map<TransferId, Sending> sending = new HashMap<>();

    /** Whether there were channels before this core began that it does not know. */
    private boolean restored;

    /** Marks that, as this relay's log says. The log has nothing about channels to other relays. */
    void restore() {
        restored = true;
    }

    /** Whether other relays may have messages of this rank that this relay does not know. */
    boolean isRestored() {
        return restored;
    }

    /** Restores a channel to another core of this relay, from that core's log. */
    void restore(int context, int destination, long sequence) {
        sequences.put(new Channel(context, destination), new Sequence(context, destination, sequence));
        latest = null;
    }

    /** Null if this channel is unknown. */
    private Sequence sequence(int context, int destination) {
        if (latest == null || latest.context != context || latest.destination != destination) {
            Sequence found = sequences.get(new Channel(context, destination));
            if (found == null) {
                return null;
            }
            latest = found;
        }
        return latest;
    }

    /**
     * Restores a message to another core of this relay that arrived in part, or was offered and is unmatched.
     *
     * @param upTo offset up to which it may be sent
     * @param cleared whether the CLEAR may have reached its rank
     */
    void restore(TransferId transferId, Message message, long upTo, boolean cleared) {
        boolean offered = message.form() == FrameType.OFFER;
        boolean believed = offered && !cleared; // The log may have lost that it was.
        Sending open = new Sending(offered, message.bytes(), believed ? message.bytes() : upTo);
        open.sent = message.arrived();
        open.cleared = offered && cleared;
        open.believed = believed;
        open.begunBefore = true;
        if (!open.isOver()) {
            sending.put(transferId, open);
        }
    }

    /** Whether this message, which is not in transfer, may have been sent before this core began. */
    boolean mayHaveForgotten(TransferId transferId) {
        return restored && !sending.containsKey(transferId);
    }

    /** Whether this channel is unknown though it may have had messages. */
    boolean isForgotten(int context, int destination) {
        return restored && sequence(context, destination) == null;
    }

    /**
     * A rank continues an offer in an unknown channel.
     *
     * @param sent bytes of it that are at its destination
     */
    void goesOn(TransferId transferId, long bytes, long sent) {
        Sending open = new Sending(true, bytes, bytes);
        open.sent = sent;
        open.cleared = sent > 0;
        open.believed = true;
        open.begunBefore = true;
        sending.put(transferId, open);
    }

    /**
     * The message is begun again, maybe in another form.
     *
     * @return whether it was an offer that was not cleared
     */
    boolean forget(TransferId transferId) {
        Sending message = sending.remove(transferId);
        return message != null && message.offered && !message.cleared;
    }

    /** Visits each offer that is not known to be cleared. */
    void forEachUncleared(BiConsumer<TransferId, Long> visitor) {
        sending.forEach((transferId, message) -> {
            if (message.offered && (message.believed || !message.cleared)) {
                visitor.accept(transferId, message.bytes);
            }
        });
    }

    /** Visits each offer whose progress only its rank has reported. */
    void forEachBelieved(BiConsumer<TransferId, Long> visitor) {
        sending.forEach((transferId, message) -> {
            if (message.believed) {
                visitor.accept(transferId, message.bytes);
            }
        });
    }

    /** Visits each offer that its rank wants to withdraw. */
    void forEachWithdrawing(Consumer<TransferId> visitor) {
        sending.forEach((transferId, message) -> {
            if (message.withdrawing) {
                visitor.accept(transferId);
            }
        });
    }

    /**
     * Checks and counts the frame that begins a message.
     *
     * @param isGone whether an offer was withdrawn: a process that knows so does not begin it
     * @param isDead whether the destination is dead: its sender need not begin what fails then
     */
    void begin(FrameView view, Predicate<TransferId> isGone, boolean isDead) throws WireException {
        Sequence channel = sequence(view.context(), view.destination());
        boolean again = restored && (view.flags() & FrameView.AGAIN) != 0;
        // Messages of a forgotten channel that are not resent are stable at their destination.
        boolean any = again || restored && channel == null || isDead && view.sequence() > (channel == null ? 0 : channel.last)
                || channel != null && channel.mayHaveMore && view.sequence() > channel.last;
        long expected = any ? view.sequence() : next(view, channel == null ? 1 : channel.last + 1, isGone);
        if (view.sequence() != expected) {
            throw new WireException(
                    CloseReason.SEQUENCE_GAP,
                    "sequence " + view.sequence() + " to rank " + view.destination() + " in context " + view.context()
                            + ", expected " + expected);
        }
        if (channel == null) {
            restore(view.context(), view.destination(), expected);
            sequence(view.context(), view.destination()).mayHaveMore = again;
        } else {
            channel.last = expected;
            channel.mayHaveMore &= again;
        }
        long bytes = view.messageBytes();
        if (view.type() != FrameType.SEND) {
            boolean offered = view.type() == FrameType.OFFER;
            boolean believed = offered && again;
            Sending message = new Sending(offered, bytes, offered && !believed ? 0 : bytes);
            message.believed = believed;
            message.begunBefore = again;
            sending.put(TransferId.outgoing(view), message);
        }
    }

    /** The first number from {@code number} on, up to the frame's, that is not of a withdrawn offer. */
    private static long next(FrameView view, long number, Predicate<TransferId> isGone) {
        long next = number;
        while (next < view.sequence() && isGone.test(new TransferId(view.context(), view.destination(), next))) {
            next++;
        }
        return next;
    }

    /** Whether this message was begun before. */
    boolean has(FrameView view) {
        return view.sequence() <= lastSequence(view.context(), view.destination());
    }

    /** Whether this chunk was passed on before. */
    boolean hasPassed(FrameView view) {
        Sending message = sending.get(TransferId.outgoing(view));
        return message == null ? has(view) && !restored : view.offset() < message.sent;
    }

    /** Visits each channel with its last sequence number. */
    void forEachChannel(ChannelVisitor visitor) {
        sequences.values().forEach(channel -> visitor.channel(channel.context, channel.destination, channel.last));
    }

    /** Visits each message that is not wholly sent, or unmatched. */
    void forEachOpen(BiConsumer<TransferId, Open> visitor) {
        sending.forEach((transferId, message) -> visitor.accept(transferId, open(message)));
    }

    /** The message, if it is not wholly sent, or unmatched; else null. */
    Open open(TransferId transferId) {
        Sending message = sending.get(transferId);
        return message == null ? null : open(message);
    }

    private static Open open(Sending message) {
        return new Open(
                message.offered ? FrameType.OFFER : FrameType.EAGER,
                message.bytes,
                message.sent,
                message.offered && message.cleared && !message.believed ? message.granted : SuppressedSends.NOT_CLEARED,
                message.withdrawing);
    }

    /**
     * Visitor of a message that is not wholly sent, or unmatched.
     *
     * @param form EAGER or OFFER
     * @param bytes payload bytes of the whole message
     * @param sent bytes that were passed on
     * @param clearedUpTo offset up to which its rank was cleared to send, or {@link SuppressedSends#NOT_CLEARED}
     * @param withdrawing whether its rank wants to withdraw it
     */
    record Open(FrameType form, long bytes, long sent, long clearedUpTo, boolean withdrawing) {}

    /** Visitor of a channel. */
    interface ChannelVisitor {
        void channel(int context, int peer, long sequence);
    }

    /** The last sequence number in this channel; 0 if there was none. */
    long lastSequence(int context, int destination) {
        Sequence channel = sequence(context, destination);
        return channel == null ? 0 : channel.last;
    }

    /** Checks and counts a chunk. True if it shows that an offer was cleared which was not known to be. */
    boolean chunk(FrameView view, int chunkBytes) throws WireException {
        TransferId transferId = TransferId.outgoing(view);
        Sending message = sending.get(transferId);
        if (message == null && restored) {
            return false; // Begun before this core, which has forgotten it; its destination's knows it.
        }
        if (message == null) {
            throw new WireException(CloseReason.NOT_EXPECTED, "chunk of a message that is not being sent: " + transferId);
        }
        if (message.begunBefore && view.offset() + chunkBytes > message.granted) {
            message.granted = Math.min(message.bytes, view.offset() + chunkBytes); // It was cleared so far.
        }
        TransferRules.checkChunk(view, chunkBytes, message.sent, message.granted, message.bytes);
        message.sent += chunkBytes;
        boolean wasCleared = message.believed && !message.cleared;
        message.cleared |= wasCleared;
        removeIfOver(transferId, message);
        return wasCleared;
    }

    private void removeIfOver(TransferId transferId, Sending message) {
        if (message.isOver()) {
            sending.remove(transferId);
        }
    }

    /** The meaning of a CLEAR. */
    enum Clearing {
        /** Nothing: it is a repetition, or the offer is over. */
        REPEATED,
        /** The offer was matched, or may continue unmatched. */
        FIRST,
        /** The offer may continue. */
        FURTHER
    }

    /**
     * The destination has granted more of an offered message.
     *
     * @param mayRepeat whether it may have sent the same before
     */
    Clearing granted(FrameView clear, boolean mayRepeat) throws WireException {
        TransferId transferId = TransferId.outgoing(clear);
        Sending message = sending.get(transferId);
        if (mayRepeat && isRepeated(message, clear.offset())) {
            return Clearing.REPEATED;
        }
        if (message == null || !message.offered) {
            throw new WireException(CloseReason.NOT_EXPECTED, "CLEAR of a message that was not offered: " + transferId);
        }
        long upTo = clear.offset();
        if (message.believed) {
            message.believed = false;
            message.granted = message.sent;
        }
        if (upTo < 0 || upTo > message.bytes || upTo <= message.granted && (message.bytes > 0 || message.cleared)) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME,
                    "CLEAR up to " + upTo + " of " + message.bytes + " bytes, " + message.granted + " are cleared already");
        }
        boolean first = !message.cleared;
        message.granted = upTo;
        message.cleared = true;
        removeIfOver(transferId, message);
        return first ? Clearing.FIRST : Clearing.FURTHER;
    }

    private static boolean isRepeated(Sending message, long upTo) {
        if (message == null || !message.offered) {
            return true;
        }
        return message.believed ? upTo <= message.sent && message.cleared : upTo <= message.granted && message.cleared;
    }

    /** The rank wants to withdraw an offer; false if it is known to be too late. */
    boolean withdraw(FrameView view) throws WireException {
        TransferId transferId = TransferId.outgoing(view);
        Sending message = sending.get(transferId);
        if (message != null && (!message.offered || message.withdrawing)) {
            throw new WireException(CloseReason.NOT_EXPECTED, "WITHDRAW of a message that cannot be withdrawn: " + transferId);
        }
        if (message == null || message.cleared) {
            return false;
        }
        message.withdrawing = true;
        return true;
    }

    /**
     * The destination has answered a WITHDRAW.
     *
     * @param mayRepeat whether it may have answered before, to a core that has forgotten it
     * @return whether the answer is new
     */
    boolean withdrawn(FrameView view, boolean mayRepeat) throws WireException {
        TransferId transferId = TransferId.outgoing(view);
        Sending message = sending.get(transferId);
        boolean gone = (view.flags() & FrameView.FOUND) != 0;
        boolean unasked = message == null || !message.withdrawing;
        if (mayRepeat && (message == null || unasked && !gone)) {
            return false;
        }
        if (message == null || unasked && !mayRepeat || gone && message.cleared) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED, "WITHDRAWN of a message that was not to be withdrawn: " + transferId);
        }
        message.withdrawing = false;
        if (gone) {
            sending.remove(transferId);
        } else {
            removeIfOver(transferId, message);
        }
        return true;
    }
}
