package org.posthouse.core;

import java.util.ArrayDeque;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * The mailbox's side of a message's way (DESIGN section 3, steps 4 to 6): logged on arrival, matched, logged again and
 * delivered; and what flows back to its sender, the word to go on and credit. Confined to the relay core.
 *
 * <p>What finds no receive waits in memory, or, if the job is logged, in the log alone. There it is read back when it is
 * matched, and no faster than its receiver reads: the DELIVERED goes out at once, as the order of deliveries wants, and
 * payload that the connection does not take now follows in chunks. What arrives meanwhile goes behind it, into the log.
 */
final class Deliveries {
    private final CoreConfig config;
    private final InLog inLog;
    private final Windows windows;
    private final MatchTimes times;
    private final Checkpoints checkpoints;

    /**
     * What a sender is owed while its journal holds it.
     *
     * @param credit whether that is credit, and not the word to go on
     */
    private record Held(Job job, int source, boolean credit, Runnable say) {}

    /** What senders are owed while their journal holds it: at most a word for each message that they may have under way. */
    private final ArrayDeque<Held> held = new ArrayDeque<>();

    private long messagesMatched;
    private long messagesStored;
    private long messagesPushed;

    Deliveries(CoreConfig config, int shards, MatchTimes times, Checkpoints checkpoints) {
        this.config = config;
        this.inLog = new InLog(config, shards);
        this.windows = new Windows(config, shards);
        this.times = times;
        this.checkpoints = checkpoints;
    }

    MatchTimes times() {
        return times;
    }

    /** Messages matched to a receive since the start. */
    long messagesMatched() {
        return messagesMatched;
    }

    /** Messages that had to wait for a receive since the start. */
    long messagesStored() {
        return messagesStored;
    }

    /** Messages sent to their ranks before there was a receive for them, since the start. */
    long messagesPushed() {
        return messagesPushed;
    }

    /** What senders of offers have under way beyond a window each. */
    long lentBytes() {
        return windows.lent();
    }

    /** What senders of offers were told to send, and is not here. */
    long underWayBytes() {
        return windows.underWay();
    }

    int sendersThatWait() {
        return windows.waiting();
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
            case ACCEPTED -> requireRoom(to, view);
        }
        Parcel head = frame.hold();
        Message message = Message.of(view, head);
        Receive posted = to.mailbox().matchFor(view.context(), view.source(), view.tag());
        Receive receive = posted == null ? push(to, message) : posted;
        try {
            log(to, message, head, receive);
        } catch (JournalFailure e) {
            head.release();
            throw e;
        }
        to.mailbox().accept(message, receive);
        if (!message.isComplete()) {
            to.arriving().put(new HomedRank.Transfer(message.context(), message.source(), message.sequence()), message);
        }
        if (message.receive() != null) {
            times.met(message);
            to.countDelivered(message);
            handOver(to, message);
        } else {
            messagesStored++;
            times.stored(message);
            store(to, message, head);
            answerProbes(to, message);
            if (to.state() == RankState.FINALIZED) {
                tellUnreceived(to, message);
            }
        }
        return true;
    }

    /** The rank will receive nothing more: who waits for that in a send would wait for ever without a word. */
    void finalized(HomedRank rank) {
        rank.mailbox().forEachUnexpected(message -> tellUnreceived(rank, message));
    }

    private static void tellUnreceived(HomedRank to, Message message) {
        if (message.form() == FrameType.OFFER && !message.isAhead() && message.source() != to.rank() && to.tellsUnreceived()) {
            to.job().report(JobEvent.UNRECEIVED, to.rank(), 0, "has called Finalize, and a send of rank " + message.source() + " to it waits: "
                    + message.bytes() + " bytes, tag " + Wire.tag(message.tag()) + "; nobody will receive them");
        }
    }

    private static void requireRoom(HomedRank to, FrameView view) throws WireException {
        if (!to.mailbox().mayUse(view.context(), view.source())) {
            throw new WireException(
                    Reason.LIMIT,
                    view.type() + " from rank " + view.source() + " to " + to + " in context " + view.context() + ", where " + to.mailbox().used());
        }
    }

    /** If its context runs ahead, what comes goes to the rank that has no receive here for it. Or that ends. */
    private static Receive push(HomedRank to, Message message) {
        Round round = to.mailbox().round(message.context());
        if (round == null || !round.isOpen()) {
            return null;
        }
        Round.End end = round.refuses(message, to.port().writable());
        if (end != null) {
            round.end(end, to.port());
            return null;
        }
        round.count(message);
        return Receive.PUSHED;
    }

    /** A message that has waited, and that its context's round does not refuse. */
    void push(HomedRank to, Message message, Round round) {
        to.mailbox().push(message);
        round.count(message);
        times.pushed(message);
        deliver(to, message);
    }

    private static void log(HomedRank to, Message message, Parcel head, Receive receive) {
        Job job = to.job();
        if (receive == null) {
            job.journal().arrival(job.id(), message, head);
        } else {
            job.journal().arrivalDelivered(job.id(), to.incarnation(), to.messagesDelivered() + 1, receive, message, head);
        }
    }

    private void store(HomedRank to, Message message, Parcel head) {
        if (to.job().logged()) {
            message.leaveMemory();
            letRunAhead(to, message);
        } else {
            head.settle();
        }
    }

    /** What the log has does not keep its sender waiting; and what was offered for want of credit is asked for. */
    private void letRunAhead(HomedRank to, Message message) {
        boolean offered = message.form() == FrameType.OFFER;
        if ((offered ? message.isStorable() : message.isComplete()) && inLog.admit(to, message)) {
            if (offered) {
                freeOfferPlace(to.job(), message);
                grantMore(to.job(), message);
            } else {
                giveBack(to.job(), message);
            }
        }
    }

    private static void freeOfferPlace(Job job, Message message) {
        HomedRank source = job.homed(message.source());
        if (source != null) {
            source.freeOfferPlace();
        }
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
        if (to.job().logged() && isRepeated(to, message, view)) {
            return;
        }
        if (message == null) {
            throw new WireException(Reason.NOT_EXPECTED, "chunk of a message that is not arriving at " + to + ": " + transfer);
        }
        if (message.isAgain() && message.form() == FrameType.OFFER && view.offset() + bytes > message.granted()) {
            message.grant(Math.min(message.bytes(), view.offset() + bytes)); // It was cleared so far.
        }
        long allowed = message.form() == FrameType.OFFER ? message.granted() : message.bytes();
        Transfers.checkChunk(view, bytes, message.arrived(), allowed, message.bytes());
        Parcel chunk = frame.hold();
        boolean waits = message.receive() == null || message.isBehind();
        long place = log(to, message, chunk);
        if (waits && to.job().logged()) {
            message.keepChunkInLog(place);
        }
        Sender from = come(to, message, bytes);
        if (message.isComplete()) {
            to.arriving().remove(transfer);
        }
        if (waits) {
            storeChunk(to, message, chunk);
        } else {
            pass(to, message, chunk);
            progress(to, message);
        }
        tellNext(from);
        checkpoints.goOn(to);
    }

    /** All the payload of a message that was begun in another form, in a frame that is no chunk: into the log, and out of it again. */
    void arriveInLog(HomedRank to, Message message, Parcel payload) {
        int bytes = payload.payloadBytes();
        message.keepChunkInLog(log(to, message, payload));
        Sender from = come(to, message, bytes);
        payload.release();
        to.arriving().remove(new HomedRank.Transfer(message.context(), message.source(), message.sequence()));
        if (message.receive() != null) {
            goOnBehind(to, message);
        } else if (message.form() != FrameType.OFFER) {
            letRunAhead(to, message);
        }
        tellNext(from);
        checkpoints.goOn(to);
    }

    /** More of a message is here, and not under way any more. */
    private Sender come(HomedRank to, Message message, int bytes) {
        Sender from = to.job().sender(message.source());
        long underWay = message.underWay();
        message.chunkArrived(bytes);
        windows.arrived(from, underWay - message.underWay());
        return from;
    }

    /** A message that is matched and waits in the log: at once if the rank is there, else it is a part of its history. */
    private void goOnBehind(HomedRank to, Message message) {
        if (to.port() == null || to.replay() != null && to.replay().comesTo(to.job().journal().position())) {
            abandon(to, message);
        } else if (to.replay() != null) {
            pass(to, message, to.job().journal().piece(to.job().id(), message, message.passed()));
        } else {
            to.readingBack().add(message);
            readBack(to);
        }
    }

    /** Whether this chunk was here before: its source was restarted, and has begun the message again. */
    private static boolean isRepeated(HomedRank to, Message message, FrameView view) {
        return message == null
                ? view.sequence() <= to.mailbox().lastSequence(view.context(), view.source())
                : view.offset() < message.arrived();
    }

    private static long log(HomedRank to, Message message, Parcel chunk) {
        try {
            return to.job().journal().chunk(to.job().id(), message, message.arrived(), chunk);
        } catch (JournalFailure e) {
            chunk.release();
            throw e;
        }
    }

    private void storeChunk(HomedRank to, Message message, Parcel chunk) {
        if (to.job().logged()) {
            chunk.release();
            if (message.form() != FrameType.OFFER) {
                letRunAhead(to, message);
            } else if (windows.wantsMore(message)) {
                grantMore(to.job(), message);
            }
        } else {
            chunk.settle();
            message.keepChunk(chunk);
        }
    }

    private static void pass(HomedRank to, Message message, Parcel chunk) {
        message.pass(chunk.payloadBytes());
        if (to.port() == null) {
            chunk.release();
        } else {
            to.port().chunk(chunk);
        }
    }

    /** The rank's next delivery, of a message that waited: logged first, then at once on its way. Where that can fail it waited in the log, and holds nothing. */
    void deliver(HomedRank to, Message message) {
        Job job = to.job();
        job.journal().delivery(job.id(), to.rank(), to.incarnation(), to.countDelivered(message), message);
        handOver(to, message);
    }

    /** A delivery that is logged. */
    private void handOver(HomedRank to, Message message) {
        messagesMatched++;
        Job job = to.job();
        if (message.form() == FrameType.OFFER && !message.isAhead()) {
            freeOfferPlace(job, message);
        }
        Parcel head = message.isInLog() ? job.journal().head(job.id(), message, to.port().writable()) : message.takeHead();
        message.pass(head.payloadBytes());
        if (message.isPushed()) {
            messagesPushed++;
            to.port().push(message, 0, head);
        } else {
            to.port().deliver(message, head);
        }
        for (Parcel chunk = message.nextWaitingChunk(); chunk != null; chunk = message.nextWaitingChunk()) {
            pass(to, message, chunk);
        }
        if (message.isBehind()) {
            to.readingBack().add(message);
            readBack(to);
        } else if (message.form() == FrameType.OFFER && message.bytes() == 0 && !message.isAhead()) {
            grantMore(job, message);
        } else {
            progress(to, message);
        }
    }

    /** Passes on what waits in the log for a rank that has matched it, as far as the rank reads. */
    void readBack(HomedRank to) {
        while (!to.readingBack().isEmpty() && to.port().writable()) {
            Message message = to.readingBack().element();
            pass(to, message, to.job().journal().piece(to.job().id(), message, message.passed()));
            if (!message.isBehind()) {
                to.readingBack().remove();
                progress(to, message);
            }
        }
    }

    /** What waited for a rank to read is not wanted any more. */
    void abandon(HomedRank to, Message message) {
        message.pass(message.arrived() - message.passed());
        progress(to, message);
    }

    /** A message that was here before this core began, and that no receive has got. */
    void restore(HomedRank to, Message message) {
        to.mailbox().restore(message);
        times.stored(message);
        boolean offered = message.form() == FrameType.OFFER;
        if (offered ? message.isStorable() : message.isComplete()) {
            inLog.restore(to, message);
        }
    }

    /** Up to where the sender of an offer that was here before this core began may have been cleared; 0 if it was not. */
    long clearedAtMost(Message offer) {
        boolean mayBe = offer.receive() != null || offer.isStorable() || offer.arrived() > 0;
        return mayBe ? Math.min(offer.bytes(), offer.arrived() + config.windowBytes()) : 0;
    }

    /** An offer that was here before this core began goes on as far as its sender may have been told. */
    void grantAgain(Job job, Message offer) {
        long upTo = clearedAtMost(offer);
        if (upTo > 0) {
            offer.grant(upTo);
            windows.told(new Sender.Word(job.sender(offer.source()), offer, 0));
        }
    }

    /** The rank's job ends; what arrives for it is still here. */
    void forget(HomedRank to) {
        inLog.forget(to);
        windows.forget(to.job());
        to.arriving().values().forEach(message -> windows.giveBack(to.job().sender(message.source()), message));
    }

    /**
     * Gives a matched message's sender what it may send next, or its credit back, unless the receiver is slow. If the
     * receiver has gone, credit still comes back, and offers stay where they are; if it has finalized, it had all that it wanted, and they go on.
     */
    void progress(HomedRank to, Message message) {
        RankPort port = to.port();
        boolean offered = message.form() == FrameType.OFFER;
        boolean over = message.isComplete() && !message.isBehind() && (!offered || message.isAhead());
        boolean reads = port != null || to.state() == RankState.FINALIZED;
        boolean wantsMore = offered && reads && !message.isBehind() && windows.wantsMore(message);
        if (!over && !wantsMore) {
            return;
        }
        if (port != null && !to.takesPieces()) {
            to.deferred().add(message);
        } else if (wantsMore) {
            grantMore(to.job(), message);
        } else if (!inLog.leave(to, message) && !offered) {
            giveBack(to.job(), message);
        }
    }

    /** Lets an offer's sender go on: as far as windows go, for an empty message up to nothing, which completes it. */
    private void grantMore(Job job, Message message) {
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

    /** Says what there is room for, now that some of what a sender had under way has come. */
    private void tellNext(Sender from) {
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

    /** Whether what has waited is still to be said; its message may have come on meanwhile. */
    private boolean goesOn(Sender.Word word) {
        Message message = word.message();
        message.wordWaits(false);
        HomedRank to = word.from().job().homed(message.destination());
        boolean wanted = message.bytes() == 0 || isArriving(to, message);
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

    private static boolean isArriving(HomedRank to, Message message) {
        return to.arriving().get(new HomedRank.Transfer(message.context(), message.source(), message.sequence())) == message;
    }

    /** A process of its source that came meanwhile has heard the word as it said the message again. */
    private void goOnAnew(HomedRank to, Message message) {
        if (message.receive() != null) {
            progress(to, message);
        } else if (windows.wantsMore(message)) {
            grantMore(to.job(), message);
        }
    }

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
        } else {
            source.cleared(message.context(), message.destination(), message.sequence(), upTo);
        }
    }

    /** Takes an offered message out of the mailbox, as if it had never come; false if it was matched before. */
    boolean withdraw(HomedRank to, FrameView view) {
        Message message = to.mailbox().takeOffer(view.context(), view.source(), view.sequence());
        HomedRank.Transfer offer = new HomedRank.Transfer(view.context(), view.source(), view.sequence());
        if (message == null) {
            return to.tombstones().contains(offer);
        }
        if (to.job().logged()) {
            to.tombstones().add(offer);
        }
        to.arriving().remove(offer);
        message.release();
        to.job().journal().withdrawn(to.job().id(), message);
        return true;
    }

    private void giveBack(Job job, Message message) {
        if (message.isForgiven()) {
            return;
        }
        if (job.journal().holds()) {
            held.add(new Held(job, message.source(), true, () -> giveBack(job, message.source(), message.cost())));
        } else {
            giveBack(job, message.source(), message.cost());
        }
    }

    /** Gives a sender back what a message has cost. */
    void giveBack(Job job, int source, long cost) {
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
}
