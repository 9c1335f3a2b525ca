package org.posthouse.core;

import java.util.List;
import java.util.function.Predicate;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * Handles a message at its mailbox (docs/architecture.md, steps 3 to 5): log on arrival, match, log the match, deliver.
 * Tells {@link CreditGrants} when credit or a clear is due to the sender. Confined to the relay core.
 *
 * <p>An unexpected message waits in memory, or, in a logged job, only in the log. As long as there is room, its sender
 * is done with it ({@link UnexpectedBudget}). A match reads it back from the log, no faster than its receiver reads.
 * The DELIVERED is sent at once, to keep the order of deliveries. Payload that the connection does not take now follows
 * in chunks. Payload that arrives meanwhile is appended to the log behind it.
 */
final class Deliveries {
    private final UnexpectedBudget budget;
    private final CreditGrants creditGrants;
    private final MatchTimes times;
    private final Checkpoints checkpoints;
    private long messagesMatched;
    private long messagesStored;
    private long messagesPushed;

    Deliveries(CoreConfig config, int shards, UnexpectedPool pool, MatchTimes times, Checkpoints checkpoints) {
        this.budget = new UnexpectedBudget(config, pool);
        this.creditGrants = new CreditGrants(config, shards, this::progress);
        this.times = times;
        this.checkpoints = checkpoints;
    }

    MatchTimes times() {
        return times;
    }

    /** Returns credit and clears to senders. */
    CreditGrants grants() {
        return creditGrants;
    }

    MatchStatistics statistics() {
        return new MatchStatistics(
                messagesMatched, messagesStored, messagesPushed, times.messages().copy(), times.receives().copy());
    }

    // ---- the frame that begins a message

    /** Handles the frame that begins a message; false if it was dropped and not accepted. */
    boolean arrive(HomedRank to, Frame frame) throws WireException {
        FrameView view = frame.view();
        Job job = to.job();
        switch (to.mailbox().check(view.context(), view.source(), view.sequence())) {
            case DUPLICATE -> {
                return false;
            }
            case GAP -> requireUnwanted(to, view);
            case ACCEPTED -> requireRoom(to, view);
        }
        Parcel head = frame.hold();
        Message message = Message.of(view, head);
        Receive posted = to.mailbox().matchFor(view.context(), view.source(), view.tag());
        Receive receive = isDiscarded(to, message) ? Receive.DISCARDED : posted == null ? push(to, message) : posted;
        try {
            if (receive != Receive.DISCARDED) {
                log(to, message, head, receive);
            }
        } catch (JournalFailure e) {
            head.release();
            throw e;
        }
        if (job.logged() && receive == Receive.DISCARDED && job.failures().isDead(to.rank())) {
            endDiscarded(to, TransferId.of(message));
            message.match(receive); // It is not counted: what comes to the dead counts as never sent.
        } else {
            to.mailbox().accept(message, receive);
        }
        to.incoming().begin(message);
        if (message.isDiscarded()) {
            discard(to, message);
        } else if (message.receive() != null) {
            times.met(message);
            to.counters().countDelivered(message);
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

    // ---- messages that nobody receives

    /**
     * Whether an offer that waits for its receive comes for a dead rank of a logged job. It is dropped and takes no place: its sender asks for it back when
     * it is told of the death.
     */
    static boolean isTooLate(HomedRank to, FrameView view) {
        return view.type() == FrameType.OFFER && (view.flags() & FrameView.STORABLE) == 0 && isUnknownToTheDead(to, view);
    }

    /** Whether the rank of a logged job was dead when this message came: it has not counted it. */
    static boolean isUnknownToTheDead(HomedRank to, FrameView view) {
        Job job = to.job();
        return job.logged() && job.failures().isDead(to.rank()) && view.sequence() > to.mailbox().lastSequence(view.context(), view.source());
    }

    /** A message is missing before this one, because it was dropped before the relay was restarted or by its sender. */
    private static void requireUnwanted(HomedRank to, FrameView view) throws WireException {
        if (!to.job().logged() || !isUnwanted(to, view.context())) {
            throw new WireException(
                    CloseReason.SEQUENCE_GAP,
                    "sequence " + view.sequence() + " from rank " + view.source() + " to " + to + " in context "
                            + view.context() + ", expected " + (to.mailbox().lastSequence(view.context(), view.source()) + 1));
        }
    }

    /**
     * Whether an arriving message is dropped, because its receiver is dead or its communicator is revoked. An offer is not: its sender takes it
     * back when it is told. In a logged job that holds only for a send that waits for its receive: the sender of a shorter one is not told. It is not
     * logged either: a relay that is restarted drops it again.
     */
    private static boolean isDiscarded(HomedRank to, Message message) {
        return isDroppable(to, message) && isUnwanted(to, message);
    }

    private static boolean isDroppable(HomedRank to, Message message) {
        return message.form() != FrameType.OFFER || to.job().logged() && message.isStorable();
    }

    private static boolean isUnwanted(HomedRank to, Message message) {
        return isUnwanted(to, message.context());
    }

    private static boolean isUnwanted(HomedRank to, int context) {
        return to.job().failures().isDead(to.rank()) || to.mailbox().isRevoked(context);
    }

    /** Drops what has arrived of a message that is in no mailbox. What follows of it is dropped too, and then its sender gets its credit back. */
    private void discard(HomedRank to, Message message) {
        boolean isOffer = message.form() == FrameType.OFFER;
        message.release();
        if (isOffer && !message.isAhead()) {
            freeOfferPlace(to.job(), message);
        }
        if (isOffer && message.bytes() == 0 && !message.isAhead()) {
            creditGrants.letGoOn(to.job(), message);
        } else {
            abandon(to, message);
        }
    }

    /** The message is begun again, as its sender was restarted. */
    private void endDiscarded(HomedRank to, TransferId transferId) {
        Message before = to.incoming().arriving(transferId);
        if (before != null) {
            to.incoming().end(transferId);
            to.incoming().dropDeferred(before);
            creditGrants.abandon(to.job(), before);
        }
    }

    private void discardWaiting(HomedRank to, Predicate<Message> which) {
        to.mailbox().remove(which, message -> {
            message.match(Receive.DISCARDED);
            discard(to, message);
        });
    }

    /**
     * The rank is dead: drops all that waits for it, except offers that their senders take back. In a logged job those are dropped, too, and count as taken
     * back; but not one that was cleared before a power cut, which its sender may have sent whole: that counts as sent.
     */
    void discardAll(HomedRank dead) {
        discardWaiting(dead, message -> isDroppable(dead, message) || message.isAhead() || message.arrived() > 0);
        if (dead.job().logged()) {
            dead.mailbox().remove(message -> true, message -> {
                dead.incoming().takeBack(TransferId.of(message));
                dead.incoming().end(TransferId.of(message));
                tellTakenBack(dead, message);
                message.release();
            });
        }
        for (Message message : List.copyOf(dead.incoming().arriving())) {
            if (message.receive() != null) {
                creditGrants.exempt(dead.job(), message);
                progress(dead, message);
            }
        }
    }

    /** The sender's present and later processes are told so: at their WITHDRAW, or in STATE. */
    private static void tellTakenBack(HomedRank dead, Message message) {
        HomedRank source = dead.job().homed(message.source());
        if (source != null) {
            source.sends().wasTakenBack(new TransferId(message.context(), dead.rank(), message.sequence()));
        } else {
            freeGuestsPlace(dead.job(), message);
        }
    }

    /** A communicator of the rank is revoked: drops what waits in its contexts. */
    void revoke(HomedRank to, int context) {
        to.mailbox().revoke(context);
        discardWaiting(to, message -> (isDroppable(to, message) || message.isAhead()) && to.mailbox().isRevoked(message.context()));
    }

    /** Nothing more comes from this rank: drops what has come of its messages that will never be whole. */
    void sourceDied(HomedRank to, int source) {
        to.mailbox().remove(message -> message.source() == source && !hasComeWhole(message), message -> {
            message.release();
            budget.leave(to, message);
        });
        for (Message message : List.copyOf(to.incoming().arriving())) {
            if (message.source() == source) {
                to.incoming().end(TransferId.of(message));
                to.incoming().dropDeferred(message);
                creditGrants.abandon(to.job(), message);
            }
        }
    }

    /** Answers the blocking probes that name a source of which nothing more comes. The rank was told of its death before. */
    static void endProbes(HomedRank to, int source) {
        for (Receive probe : to.mailbox().takeProbes(source)) {
            to.port().probeAnswer(probe.request(), null);
        }
    }

    /** An offer has come whole only if it was cleared ahead of its receive: until then its sender has not sent it, even if it has no bytes. */
    static boolean hasComeWhole(Message message) {
        return message.isComplete() && (message.form() != FrameType.OFFER || message.isAhead());
    }

    /**
     * The rank has finalized and will receive nothing more. A sender that waits for such a receive would otherwise wait
     * for ever without a report.
     */
    void finalized(HomedRank rank) {
        rank.mailbox().forEachUnexpected(message -> tellUnreceived(rank, message));
    }

    private static void tellUnreceived(HomedRank to, Message message) {
        if (message.form() == FrameType.OFFER && !message.isAhead() && message.source() != to.rank() && to.sends().tellsUnreceived()) {
            to.job().report(JobEvent.UNRECEIVED, to.rank(), 0, "has called Finalize, and a send of rank " + message.source() + " to it waits: "
                    + message.bytes() + " bytes, tag " + Wire.tag(message.tag()) + "; nobody will receive them");
        }
    }

    private static void requireRoom(HomedRank to, FrameView view) throws WireException {
        if (!to.mailbox().mayUse(view.context(), view.source())) {
            throw new WireException(
                    CloseReason.LIMIT,
                    view.type() + " from rank " + view.source() + " to " + to + " in context " + view.context() + ", where " + to.mailbox().used());
        }
    }

    /**
     * Pushes an arriving message if its context runs ahead and no receive is posted here; or ends the running ahead.
     */
    private static Receive push(HomedRank to, Message message) {
        PushWindow pushWindow = to.mailbox().round(message.context());
        if (pushWindow == null || !pushWindow.isOpen()) {
            return null;
        }
        PushWindow.End end = pushWindow.refuses(message, to.port().writable());
        if (end != null) {
            to.endPush(pushWindow, end);
            return null;
        }
        pushWindow.count(message);
        return Receive.PUSHED;
    }

    /** Pushes a message that has waited and that its context's round does not refuse. */
    void push(HomedRank to, Message message, PushWindow pushWindow) {
        to.mailbox().push(message);
        pushWindow.count(message);
        times.pushed(message);
        deliver(to, message);
    }

    private static void log(HomedRank to, Message message, Parcel head, Receive receive) {
        Job job = to.job();
        if (receive == null) {
            job.journal().arrival(job.id(), message, head);
        } else {
            job.journal().arrivalDelivered(job.id(), to.incarnation(), to.counters().messagesDelivered() + 1, receive, message, head);
        }
    }

    private void store(HomedRank to, Message message, Parcel head) {
        if (to.job().logged()) {
            message.leaveMemory();
        } else {
            head.settle();
        }
        letRunAhead(to, message);
    }

    /**
     * Releases the sender of a message that the log has, or that memory has room for. Clears a message that was offered
     * for want of credit, unless nobody will receive it.
     */
    private void letRunAhead(HomedRank to, Message message) {
        boolean offered = message.form() == FrameType.OFFER;
        if (offered && isUnwanted(to, message)) {
            return;
        }
        if ((offered ? message.isStorable() : message.isComplete()) && budget.admit(to, message)) {
            if (offered) {
                freeOfferPlace(to.job(), message);
                creditGrants.letGoOn(to.job(), message);
            } else {
                creditGrants.giveBack(to.job(), message);
            }
        }
    }

    private static void freeOfferPlace(Job job, Message message) {
        HomedRank source = job.homed(message.source());
        if (source != null) {
            source.sends().freeOfferPlace();
        } else {
            freeGuestsPlace(job, message);
        }
    }

    private static void freeGuestsPlace(Job job, Message message) {
        OfferingSender guest = job.guest(message.source());
        if (guest != null) {
            guest.giveBack(FrameType.OFFER, 0);
        }
    }

    private static void answerProbes(HomedRank to, Message message) {
        for (Receive probe = to.mailbox().takeProbe(message); probe != null; probe = to.mailbox().takeProbe(message)) {
            to.port().probeAnswer(probe.request(), message);
        }
    }

    // ---- its chunks

    /** Handles a chunk of a message that has begun; drops a chunk that arrived before. */
    void arriveChunk(HomedRank to, Frame frame, int bytes) throws WireException {
        FrameView view = frame.view();
        TransferId transferId = TransferId.incoming(view);
        Message message = to.incoming().arriving(transferId);
        if (to.job().logged() && isRepeated(to, message, view)) {
            return;
        }
        if (message == null && to.job().logged() && isUnwanted(to, view.context())) {
            return; // It was dropped before the relay was restarted.
        }
        if (message == null) {
            throw new WireException(CloseReason.NOT_EXPECTED, "chunk of a message that is not arriving at " + to + ": " + transferId);
        }
        if (message.isAgain() && message.form() == FrameType.OFFER && view.offset() + bytes > message.granted()) {
            message.grant(Math.min(message.bytes(), view.offset() + bytes)); // It was cleared so far.
        }
        long allowed = message.form() == FrameType.OFFER ? message.granted() : message.bytes();
        TransferRules.checkChunk(view, bytes, message.arrived(), allowed, message.bytes());
        Parcel chunk = frame.hold();
        boolean waits = message.receive() == null || message.isBehind();
        long place = isLogged(message) ? log(to, message, chunk) : 0;
        if (waits && to.job().logged()) {
            message.keepChunkInLog(place);
        }
        creditGrants.arrived(to.job(), message, bytes);
        if (message.isComplete()) {
            to.incoming().end(transferId);
        }
        if (waits) {
            storeChunk(to, message, chunk);
        } else {
            pass(to, message, chunk);
            progress(to, message);
        }
        creditGrants.tellNext(to.job(), message);
        checkpoints.goOn(to);
    }

    /**
     * Handles the whole payload of a message that was begun in another form, in a frame that is no chunk. It goes to
     * the log and is read back.
     */
    void arriveInLog(HomedRank to, Message message, Parcel payload) {
        int bytes = payload.payloadBytes();
        if (isLogged(message)) {
            message.keepChunkInLog(log(to, message, payload));
        }
        creditGrants.arrived(to.job(), message, bytes);
        payload.release();
        to.incoming().end(TransferId.of(message));
        if (message.isDiscarded()) {
            abandon(to, message);
        } else if (message.receive() != null) {
            goOnBehind(to, message);
        } else if (message.form() != FrameType.OFFER) {
            letRunAhead(to, message);
        }
        creditGrants.tellNext(to.job(), message);
        checkpoints.goOn(to);
    }

    /**
     * Delivers a matched message that waits in the log: at once if the rank is connected, else as part of its history.
     */
    private void goOnBehind(HomedRank to, Message message) {
        if (to.port() == null || to.replay() != null && to.replay().comesTo(to.job().journal().position())) {
            abandon(to, message);
        } else if (to.replay() != null) {
            pass(to, message, to.job().journal().piece(to.job().id(), message, message.passed()));
            progress(to, message);
        } else {
            to.incoming().waitToRead(message);
            readBack(to);
        }
    }

    /** What is dropped and has begun in the log goes on there, so that a relay that is restarted knows how far it is. */
    private static boolean isLogged(Message message) {
        return !message.isDiscarded() || message.logPosition() > 0;
    }

    /** Whether this chunk arrived before, because its source was restarted and has begun the message again. */
    private static boolean isRepeated(HomedRank to, Message message, FrameView view) {
        return message == null
                ? view.sequence() <= to.mailbox().lastSequence(view.context(), view.source())
                : view.offset() < message.arrived();
    }

    private static long log(HomedRank to, Message message, Parcel chunk) {
        try {
            to.counters().countRecord();
            return to.job().journal().chunk(to.job().id(), message, message.arrived(), chunk);
        } catch (JournalFailure e) {
            chunk.release();
            throw e;
        }
    }

    private void storeChunk(HomedRank to, Message message, Parcel chunk) {
        if (to.job().logged()) {
            chunk.release();
        } else {
            chunk.settle();
            message.keepChunk(chunk);
        }
        if (message.form() != FrameType.OFFER) {
            letRunAhead(to, message);
        } else if (creditGrants.wantsMore(message)) {
            creditGrants.letGoOn(to.job(), message);
        }
    }

    private static void pass(HomedRank to, Message message, Parcel chunk) {
        message.pass(chunk.payloadBytes());
        if (to.port() == null || message.isDiscarded()) {
            chunk.release();
        } else {
            to.port().chunk(chunk);
        }
    }

    // ---- its way to the rank

    /**
     * Makes a message that waited the rank's next delivery: logged first, then sent. Where that can fail the message
     * waited in the log and holds nothing.
     */
    void deliver(HomedRank to, Message message) {
        Job job = to.job();
        job.journal().delivery(job.id(), to.rank(), to.incarnation(), to.counters().countDelivered(message), message);
        handOver(to, message);
    }

    /** Delivers a message whose delivery is logged. */
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
            to.incoming().waitToRead(message);
            readBack(to);
        } else if (message.form() == FrameType.OFFER && message.bytes() == 0 && !message.isAhead()) {
            creditGrants.letGoOn(job, message);
        } else {
            progress(to, message);
        }
    }

    /** Resumes what waited for a rank that was slow to read and is writable again. */
    void goOn(HomedRank to) {
        ReceiveState receiveState = to.incoming();
        for (int left = receiveState.deferred(); left > 0; left--) {
            progress(to, receiveState.takeDeferred());
        }
        readBack(to);
    }

    /** Reads matched messages back from the log and sends them, as far as the rank reads. */
    private void readBack(HomedRank to) {
        ReceiveState receiveState = to.incoming();
        for (Message message = receiveState.toRead(); message != null && to.port().writable(); message = receiveState.toRead()) {
            pass(to, message, to.job().journal().piece(to.job().id(), message, message.passed()));
            if (!message.isBehind()) {
                receiveState.takeToRead();
                progress(to, message);
            }
        }
    }

    /**
     * Handles a rank that has disconnected. Payload that waited for it to read is no longer needed, so the credit that
     * paid for it is returned.
     */
    void left(HomedRank to) {
        ReceiveState receiveState = to.incoming();
        for (Message message = receiveState.takeToRead(); message != null; message = receiveState.takeToRead()) {
            abandon(to, message);
        }
        for (Message message = receiveState.takeDeferred(); message != null; message = receiveState.takeDeferred()) {
            progress(to, message);
        }
    }

    private void abandon(HomedRank to, Message message) {
        message.pass(message.arrived() - message.passed());
        progress(to, message);
    }

    // ---- what becomes of its sender

    /**
     * Gives a matched message's sender its next clear, or its credit back, unless the receiver is slow. If the receiver
     * has disconnected, credit is still returned and offers stay as they are. If it has finalized, it has all its
     * messages, and offers continue; so they do if it is dead, and are dropped.
     */
    void progress(HomedRank to, Message message) {
        RankPort port = to.port();
        boolean offered = message.form() == FrameType.OFFER;
        boolean over = message.isComplete() && !message.isBehind() && (!offered || message.isAhead());
        boolean reads = port != null || to.state() == RankState.FINALIZED || to.job().failures().isDead(to.rank());
        boolean wantsMore = offered && reads && !message.isBehind() && creditGrants.wantsMore(message);
        if (!over && !wantsMore) {
            return;
        }
        if (port != null && !to.takesPieces()) {
            to.incoming().defer(message);
        } else if (wantsMore) {
            creditGrants.letGoOn(to.job(), message);
        } else if (!budget.leave(to, message) && !offered) {
            creditGrants.giveBack(to.job(), message);
        }
    }

    /** Withdraws an offered message from the mailbox, as if it had never arrived; false if it was matched before. */
    boolean withdraw(HomedRank to, FrameView view) {
        Message message = to.mailbox().takeOffer(view.context(), view.source(), view.sequence());
        TransferId offer = TransferId.incoming(view);
        if (message == null) {
            return isUnknownToTheDead(to, view) || to.incoming().isTakenBack(offer);
        }
        if (to.job().logged()) {
            to.incoming().takeBack(offer);
        }
        freeGuestsPlace(to.job(), message);
        to.incoming().end(offer);
        message.release();
        to.job().journal().withdrawn(to.job().id(), message);
        return true;
    }

    // ---- the beginning of a core, and the end of a job

    /** Restores a message that was here before this core began and that no receive has got. */
    void restore(HomedRank to, Message message) {
        to.mailbox().restore(message);
        times.stored(message);
        boolean offered = message.form() == FrameType.OFFER;
        if (offered ? message.isStorable() : message.isComplete()) {
            budget.restore(to, message);
        }
    }

    /** Discards the rank's messages as its job ends; messages that arrive for it are still here. */
    void forget(HomedRank to) {
        budget.forget(to);
        creditGrants.forget(to);
    }
}
