package org.posthouse.core;

import java.util.ArrayDeque;
import java.util.function.BiConsumer;
import org.posthouse.wire.FrameType;

/**
 * What is owed to the senders of messages: the word that an offer may go on, which is said when there is room for what comes then ({@link Windows}),
 * and credit. While their journal holds it neither is said. Part of {@link Deliveries}, which knows when it is due. Confined to the relay core.
 */
final class Grants {
    private final CoreConfig config;
    private final Windows windows;
    private final BiConsumer<HomedRank, Message> progress;

    /**
     * What a sender is owed while its journal holds it.
     *
     * @param credit whether that is credit, and not the word to go on
     */
    private record Held(Job job, int source, boolean credit, Runnable say) {}

    /** What senders are owed while their journal holds it: at most a word for each message that they may have under way. */
    private final ArrayDeque<Held> held = new ArrayDeque<>();

    /**
     * @param shards how many cores of the relay share its limits
     * @param progress looks anew at a matched message whose word has waited, and was not said
     */
    Grants(CoreConfig config, int shards, BiConsumer<HomedRank, Message> progress) {
        this.config = config;
        this.windows = new Windows(config, shards);
        this.progress = progress;
    }

    /** What senders of offers have under way beyond a window each. */
    long lentBytes() {
        return windows.lent();
    }

    /** What senders of offers were told to send, and is not here. */
    long underWayBytes() {
        return windows.underWay();
    }

    /** How many of them wait for the word that they may go on. */
    int sendersThatWait() {
        return windows.waiting();
    }

    // ---- the word to go on

    /** Whether half of what an offer had been allowed is here, and there is more of it. */
    boolean wantsMore(Message message) {
        return windows.wantsMore(message);
    }

    /** Lets an offer's sender go on: as far as windows go, for an empty message up to nothing, which completes it. */
    void letGoOn(Job job, Message message) {
        Peer peer = job.peer(message.source());
        Sender from = job.sender(message.source());
        if (message.wordWaits()) {
            return;
        }
        boolean holds = job.journal().holds();
        long upTo = windows.bound(message, from, !holds && peer != null && peer.isFar());
        if (upTo <= message.granted() && message.bytes() > 0) {
            return; // Less is lent than when it was granted that: it goes on when that is here.
        }
        message.grant(upTo);
        Sender.Word word = new Sender.Word(from, message, replays(from));
        if (holds) {
            hold(word);
        } else {
            tell(word);
        }
    }

    private static int replays(Sender from) {
        HomedRank source = from.job().homed(from.rank());
        return source == null ? 0 : source.replays();
    }

    private void hold(Sender.Word word) {
        word.message().wordWaits(true);
        held.add(new Held(word.from().job(), word.from().rank(), false, () -> {
            if (goesOn(word)) {
                tell(word);
            }
        }));
    }

    /** Says it now, or when there is room for what comes then. */
    private void tell(Sender.Word word) {
        if (windows.admits(word)) {
            say(word);
        } else {
            windows.await(word);
        }
    }

    /** More of a message is here, and not under way any more. {@link #tellNext} is to follow. */
    void arrived(Job job, Message message, int bytes) {
        long underWay = message.underWay();
        message.chunkArrived(bytes);
        windows.arrived(job.sender(message.source()), underWay - message.underWay());
    }

    /** Says what there is room for, now that some of what this message's sender had under way has come. */
    void tellNext(Job job, Message message) {
        Sender from = job.sender(message.source());
        for (Sender.Word word = windows.next(from); word != null; word = windows.next(from)) {
            if (word.from().job().journal().holds()) {
                hold(word);
            } else if (goesOn(word)) {
                say(word);
            }
        }
    }

    private void say(Sender.Word word) {
        windows.told(word);
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
            source.cleared(message.context(), message.destination(), message.sequence(), upTo);
        }
    }

    /** Whether what has waited is still to be said; its message may have come on meanwhile. */
    private boolean goesOn(Sender.Word word) {
        Message message = word.message();
        message.wordWaits(false);
        HomedRank to = word.from().job().homed(message.destination());
        boolean wanted = message.bytes() == 0 || to.incoming().arriving(Transfer.of(message)) == message;
        if (word.replays() != replays(word.from())) {
            if (wanted) {
                goOnAnew(to, message);
            }
            return false;
        }
        if (wanted && windows.boundNow(message) > message.granted()) {
            message.grant(windows.boundNow(message));
        }
        return wanted;
    }

    /** A process of its source that came meanwhile has heard the word as it said the message again. */
    private void goOnAnew(HomedRank to, Message message) {
        if (message.receive() != null) {
            progress.accept(to, message);
        } else if (windows.wantsMore(message)) {
            letGoOn(to.job(), message);
        }
    }

    // ---- credit

    /** Gives a message's sender back what it has cost. */
    void giveBack(Job job, Message message) {
        if (message.isForgiven()) {
            return;
        }
        if (job.journal().holds()) {
            held.add(new Held(job, message.source(), true, () -> giveBack(job, message.source(), message.cost())));
        } else {
            giveBack(job, message.source(), message.cost());
        }
    }

    /** Gives a sender back what a message has cost, whatever its journal holds. */
    void giveBack(Job job, int source, long cost) {
        Sender guest = job.guest(source);
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
            local.returnCredit(bytes, messages, null);
        } else {
            job.peer(source).credit(job.id(), source, bytes, messages);
        }
    }

    // ---- what journals hold

    /** There is room again: senders get what was held back. */
    void release() {
        for (int left = held.size(); left > 0; left--) {
            held.remove().say().run();
        }
    }

    /** The peer was started again, and knows nothing of what its ranks have paid: it is owed no credit that is held. */
    void forgiveHeld(Job job, Peer peer) {
        held.removeIf(each -> each.credit && each.job == job && job.peer(each.source) == peer);
    }

    // ---- the beginning of a core, and the end of a job

    /** An offer that was here before this core began goes on as far as its sender may have been told. */
    void restore(Job job, Message offer) {
        long upTo = clearedAtMost(offer);
        if (upTo > 0) {
            offer.grant(upTo);
            windows.told(new Sender.Word(job.sender(offer.source()), offer, 0));
        }
    }

    /** Up to where the sender of an offer that was here before this core began may have been cleared; 0 if it was not. */
    long clearedAtMost(Message offer) {
        boolean mayBe = offer.receive() != null || offer.isStorable() || offer.arrived() > 0;
        return mayBe ? Math.min(offer.bytes(), offer.arrived() + config.windowBytes()) : 0;
    }

    /** The rank's job ends; what was under way to it is not wanted any more. */
    void forget(HomedRank to) {
        windows.forget(to.job());
        to.incoming().arriving().forEach(message -> windows.giveBack(to.job().sender(message.source()), message));
    }
}
