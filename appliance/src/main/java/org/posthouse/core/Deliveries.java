package org.posthouse.core;

import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Reason;
import org.posthouse.wire.WireException;

/**
 * The mailbox's side of a message's way (DESIGN section 3, steps 4 to 6): logged on arrival, matched, logged again and
 * delivered; and what flows back to its sender, the word to go on and credit. Confined to the relay core.
 */
final class Deliveries {
    private final CoreConfig config;
    private long messagesMatched;
    private long messagesStored;

    Deliveries(CoreConfig config) {
        this.config = config;
    }

    /** Messages matched to a receive since the start. */
    long messagesMatched() {
        return messagesMatched;
    }

    /** Messages that had to wait for a receive since the start. */
    long messagesStored() {
        return messagesStored;
    }

    /** Takes in the frame that begins a message; false if it was not accepted, but dropped. */
    boolean arrive(HomedRank to, Frame frame) throws WireException {
        FrameView view = frame.view();
        Job job = to.job();
        switch (to.mailbox().check(view.context(), view.source(), view.sequence())) {
            case DUPLICATE -> {
                return false;
            }
            case GAP -> throw new WireException(
                    Reason.SEQUENCE_GAP,
                    "sequence " + view.sequence() + " from rank " + view.source() + " to " + to + " in context "
                            + view.context() + ", expected " + (to.mailbox().lastSequence(view.context(), view.source()) + 1));
            case ACCEPTED -> {}
        }
        Parcel head = frame.hold();
        Message message = Message.of(view, head);
        try {
            message.logged(job.journal().arrival(job.id(), message, head));
        } catch (JournalFull e) {
            head.release();
            throw e;
        }
        to.mailbox().accept(message);
        if (!message.isComplete()) {
            to.arriving().put(new HomedRank.Transfer(message.context(), message.source(), message.sequence()), message);
        }
        if (message.receive() != null) {
            deliver(to, message);
        } else {
            messagesStored++;
            head.settle();
            answerProbes(to, message);
        }
        return true;
    }

    private static void answerProbes(HomedRank to, Message message) {
        for (Receive probe = to.mailbox().takeProbe(message); probe != null; probe = to.mailbox().takeProbe(message)) {
            to.port().probeAnswer(probe.request(), message);
        }
    }

    void arriveChunk(HomedRank to, Frame frame, int bytes) throws WireException {
        FrameView view = frame.view();
        HomedRank.Transfer transfer = new HomedRank.Transfer(view.context(), view.source(), view.sequence());
        Message message = to.arriving().get(transfer);
        if (message == null) {
            throw new WireException(Reason.NOT_EXPECTED, "chunk of a message that is not arriving at " + to + ": " + transfer);
        }
        long allowed = message.form() == FrameType.OFFER ? message.granted() : message.bytes();
        Transfers.checkChunk(view, bytes, message.arrived(), allowed, message.bytes());
        Parcel chunk = frame.hold();
        try {
            to.job().journal().chunk(to.job().id(), message, message.arrived(), chunk);
        } catch (JournalFull e) {
            chunk.release();
            throw e;
        }
        message.chunkArrived(bytes);
        if (message.isComplete()) {
            to.arriving().remove(transfer);
        }
        if (message.receive() == null) {
            chunk.settle();
            message.keepChunk(chunk);
        } else {
            pass(to, chunk);
            progress(to, message);
        }
    }

    private static void pass(HomedRank to, Parcel chunk) {
        if (to.port() == null) {
            chunk.release();
        } else {
            to.port().chunk(chunk);
        }
    }

    /** The rank's next delivery: logged first, then at once on its way. */
    void deliver(HomedRank to, Message message) {
        messagesMatched++;
        Job job = to.job();
        HomedRank source = job.homed(message.source());
        if (source != null && message.form() == FrameType.OFFER) {
            source.freeOfferPlace();
        }
        long delivery = to.countDelivered(message);
        try {
            job.journal().delivery(job.id(), to.rank(), to.incarnation(), delivery, to.takeFailedPolls(), message);
        } catch (JournalFull e) {
            message.release();
            throw e;
        }
        to.port().deliver(message, message.takeHead());
        for (Parcel chunk = message.nextWaitingChunk(); chunk != null; chunk = message.nextWaitingChunk()) {
            pass(to, chunk);
        }
        if (message.form() == FrameType.OFFER && message.bytes() == 0) {
            clear(job, message, 0);
        } else {
            progress(to, message);
        }
    }

    /**
     * Gives a matched message's sender what it may send next, or its credit back, unless the receiver is slow. If the
     * receiver has gone, credit still comes back, and offers stay where they are.
     */
    void progress(HomedRank to, Message message) {
        RankPort port = to.port();
        boolean offered = message.form() == FrameType.OFFER;
        if (offered ? port == null || !wantsClear(message) : !message.isComplete()) {
            return;
        }
        if (port != null && !port.writable()) {
            to.deferred().add(message);
        } else if (offered) {
            message.grant(Math.min(message.bytes(), message.arrived() + config.windowBytes()));
            clear(to.job(), message, message.granted());
        } else {
            giveBack(to.job(), message);
        }
    }

    private boolean wantsClear(Message message) {
        return message.granted() < message.bytes() && message.granted() - message.arrived() <= config.windowBytes() / 2;
    }

    private void clear(Job job, Message message, long upTo) {
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
        } else if (source.port() != null) {
            source.port().clear(message.context(), message.destination(), message.sequence(), upTo);
        }
    }

    /** Takes an offered message out of the mailbox, as if it had never come; false if it was matched before. */
    boolean withdraw(HomedRank to, FrameView view) {
        Message message = to.mailbox().takeOffer(view.context(), view.source(), view.sequence());
        if (message == null) {
            return false;
        }
        to.arriving().remove(new HomedRank.Transfer(message.context(), message.source(), message.sequence()));
        message.release();
        return true;
    }

    void giveBack(Job job, Message message) {
        int source = message.source();
        if (!job.owe(source, message.cost(), config)) {
            return;
        }
        long bytes = job.takeOwedBytes(source);
        int messages = job.takeOwedMessages(source);
        HomedRank local = job.homed(source);
        if (local != null) {
            local.returnCredit(bytes, messages);
        } else {
            job.peer(source).credit(job.id(), source, bytes, messages);
        }
    }
}
