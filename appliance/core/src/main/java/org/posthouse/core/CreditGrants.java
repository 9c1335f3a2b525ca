package org.posthouse.core;

import java.util.ArrayDeque;
import java.util.function.BiConsumer;
import org.posthouse.wire.FrameType;

/**
 * Returns credit to the senders of messages and clears offers, once there is room for their payload ({@link OfferWindows}).
 * While a sender's job holds senders neither is sent. Part of {@link Deliveries}, which knows when they are due.
 * Confined to the relay core.
 */
final class CreditGrants {
    private final CoreConfig config;
    private final OfferWindows offerWindows;
    private final BiConsumer<HomedRank, Message> progress;

    /**
     * Credit or a clear that a sender is owed while its job holds senders.
     *
     * @param credit whether it is credit, and not a clear
     */
    private record Held(Job job, int source, boolean credit, Runnable say) {}

    /** Credit and clears that are held: at most one for each message that the senders may have under way. */
    private final ArrayDeque<Held> held = new ArrayDeque<>();

    /**
     * @param shards how many cores of the relay share its limits
     * @param progress checks again a matched message whose clear has waited and was not sent
     */
    CreditGrants(CoreConfig config, int shards, BiConsumer<HomedRank, Message> progress) {
        this.config = config;
        this.offerWindows = new OfferWindows(config, shards);
        this.progress = progress;
    }

    /** Bytes that senders of offers have under way beyond one window each. */
    long lentBytes() {
        return offerWindows.lent();
    }

    /** Bytes that senders of offers were cleared to send and that have not arrived. */
    long underWayBytes() {
        return offerWindows.underWay();
    }

    /** Number of these senders that wait for a clear. */
    int sendersThatWait() {
        return offerWindows.waiting();
    }

    // ---- clears

    /** Whether half of an offer's granted bytes are here, and there are more of it. */
    boolean wantsMore(Message message) {
        return offerWindows.wantsMore(message);
    }

    /** Clears an offer as far as windows allow. An empty message is cleared up to 0, which completes it. */
    void letGoOn(Job job, Message message) {
        Peer peer = job.peer(message.source());
        OfferingSender from = job.sender(message.source());
        if (message.wordWaits()) {
            return;
        }
        boolean holds = job.holdsSenders();
        long upTo = offerWindows.bound(message, from, !holds && peer != null && peer.isFar());
        if (upTo <= message.granted() && message.bytes() > 0) {
            return; // Less is lent than at the last grant: the message continues when the granted bytes are here.
        }
        message.grant(upTo);
        OfferingSender.Word word = new OfferingSender.Word(from, message, replays(from));
        if (holds) {
            hold(word);
        } else {
            tell(word);
        }
    }

    private static int replays(OfferingSender from) {
        HomedRank source = from.job().homed(from.rank());
        return source == null ? 0 : source.replays();
    }

    private void hold(OfferingSender.Word word) {
        word.message().wordWaits(true);
        held.add(new Held(word.from().job(), word.from().rank(), false, () -> {
            if (goesOn(word)) {
                tell(word);
            }
        }));
    }

    /** Sends a clear now, or when there is room for the payload that follows. */
    private void tell(OfferingSender.Word word) {
        if (offerWindows.admits(word)) {
            say(word);
        } else {
            offerWindows.await(word);
        }
    }

    /** More of a message has arrived and is no longer under way. {@link #tellNext} is to follow. */
    void arrived(Job job, Message message, int bytes) {
        long underWay = message.underWay();
        message.chunkArrived(bytes);
        offerWindows.arrived(job.sender(message.source()), underWay - message.underWay());
    }

    /** Sends the clears that there is room for, now that payload of this message's sender has arrived. */
    void tellNext(Job job, Message message) {
        OfferingSender from = job.sender(message.source());
        for (OfferingSender.Word word = offerWindows.next(from); word != null; word = offerWindows.next(from)) {
            if (word.from().job().holdsSenders()) {
                hold(word);
            } else if (goesOn(word)) {
                say(word);
            }
        }
    }

    private void say(OfferingSender.Word word) {
        offerWindows.told(word);
        clear(word.from().job(), word.message(), word.message().granted());
    }

    private static void clear(Job job, Message message, long upTo) {
        HomedRank source = job.homed(message.source());
        if (source == null) {
            job.peer(message.source())
                    .clear(
                            job.id(),
                            message.context(),
                            message.source(),
                            message.destination(),
                            message.sequence(),
                            upTo);
        } else {
            source.sends().cleared(message.context(), message.destination(), message.sequence(), upTo);
        }
    }

    /** Whether a clear that has waited must still be sent; its message may have progressed meanwhile. */
    private boolean goesOn(OfferingSender.Word word) {
        Message message = word.message();
        message.wordWaits(false);
        HomedRank to = word.from().job().homed(message.destination());
        boolean wanted = message.bytes() == 0 || to.incoming().arriving(TransferId.of(message)) == message;
        if (word.replays() != replays(word.from())) {
            if (wanted) {
                goOnAnew(to, message);
            }
            return false;
        }
        if (wanted && offerWindows.boundNow(message) > message.granted()) {
            message.grant(offerWindows.boundNow(message));
        }
        return wanted;
    }

    /** A new process of its source got the clear already when it sent the message again. */
    private void goOnAnew(HomedRank to, Message message) {
        if (message.receive() != null) {
            progress.accept(to, message);
        } else if (offerWindows.wantsMore(message)) {
            letGoOn(to.job(), message);
        }
    }

    /** The source of a message that has arrived in part is dead: nothing of it is under way any more. */
    void abandon(Job job, Message message) {
        offerWindows.giveBack(job.sender(message.source()), message);
        message.tell(message.arrived());
        tellNext(job, message);
    }

    /**
     * The receiver of a message that was matched is dead. What still comes is dropped at once and needs no room, so it does not count as under way: its sender
     * may have ended the send.
     */
    void exempt(Job job, Message message) {
        offerWindows.giveBack(job.sender(message.source()), message);
        message.exempt();
        tellNext(job, message);
    }

    // ---- credit

    /** Returns a message's cost to its sender's credit. */
    void giveBack(Job job, Message message) {
        if (message.isForgiven()) {
            return;
        }
        if (job.holdsSenders()) {
            held.add(new Held(job, message.source(), true, () -> giveBack(job, message.source(), message.cost())));
        } else {
            giveBack(job, message.source(), message.cost());
        }
    }

    /** Returns a message's cost to its sender's credit, also if its job holds senders. */
    void giveBack(Job job, int source, long cost) {
        OfferingSender guest = job.guest(source);
        if (guest != null) {
            guest.giveBack(FrameType.SEND, cost);
        }
        if (!job.owe(source, cost, config)) {
            return;
        }
        long bytes = job.takeOwedBytes(source);
        int messages = job.takeOwedMessages(source);
        HomedRank local = job.homed(source);
        if (local != null) {
            local.sends().returnCredit(bytes, messages, null);
        } else {
            job.peer(source).credit(job.id(), source, bytes, messages);
        }
    }

    // ---- credit and clears that are held

    /** Some jobs hold senders no more: sends these the credit and clears that were held. */
    void release() {
        for (int left = held.size(); left > 0; left--) {
            Held next = held.remove();
            if (next.job().holdsSenders()) {
                held.add(next);
            } else {
                next.say().run();
            }
        }
    }

    /** The peer was restarted and does not know what its ranks have paid: discards the held credit for it. */
    void forgiveHeld(Job job, Peer peer) {
        held.removeIf(each -> each.credit && each.job == job && job.peer(each.source) == peer);
    }

    // ---- start of a core, end of a job

    /**
     * Restores an offer that was here before this core began, cleared up to the highest CLEAR that its sender may have
     * received.
     */
    void restore(Job job, Message offer) {
        long upTo = clearedAtMost(offer);
        if (upTo > 0) {
            offer.grant(upTo);
            offerWindows.told(new OfferingSender.Word(job.sender(offer.source()), offer, 0));
        }
    }

    /**
     * Offset up to which the sender of an offer that was here before this core began may have been cleared; 0 if it was
     * not.
     */
    long clearedAtMost(Message offer) {
        boolean mayBe = offer.receive() != null || offer.isStorable() || offer.arrived() > 0;
        return mayBe ? Math.min(offer.bytes(), offer.arrived() + config.windowBytes()) : 0;
    }

    /** Forgets the rank's messages as its job ends: payload under way to it is no longer needed. */
    void forget(HomedRank to) {
        offerWindows.forget(to.job());
        to.incoming().arriving().forEach(message -> offerWindows.giveBack(to.job().sender(message.source()), message));
    }
}
