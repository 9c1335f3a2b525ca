package org.posthouse.core;

import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * Handles the requests of a rank that is at home here: sends, receives, probes, and their cancellation. Part of {@link
 * RelayCore}.
 */
final class RankFrames {
    /**
     * Limit of answers to probes that may wait for a rank that does not read. Each thread of a rank awaits one at a
     * time.
     */
    static final int UNREAD_ANSWERS_MAX = 16_384;

    private final CoreConfig config;
    private final Deliveries deliveries;
    private final HistorySource historySource;
    private final Checkpoints checkpoints;
    private final PushGrants pushGrants;
    private final Followers followers;
    private final DeterminantIntake determinantIntake = new DeterminantIntake();

    RankFrames(CoreConfig config, Deliveries deliveries, HistorySource historySource, Checkpoints checkpoints, Followers followers) {
        this.checkpoints = checkpoints;
        this.followers = followers;
        this.config = config;
        this.historySource = historySource;
        this.deliveries = deliveries;
        this.pushGrants = new PushGrants(deliveries);
    }

    /** Handles a frame of a connected rank, about its own job. */
    void take(HomedRank rank, Frame frame) throws WireException {
        FrameView view = frame.view();
        switch (view.type()) {
            case SEND, EAGER, OFFER -> {
                ResendClaim whole = sum(rank, frame);
                send(rank, frame);
                countKept(rank, view);
                followers.sent(rank, whole);
            }
            case CHUNK -> {
                ResendClaim whole = sum(rank, frame);
                sendChunk(rank, frame);
                countKept(rank, view);
                if (whole == null) {
                    followers.sentUnsummed(rank, view);
                } else {
                    followers.sent(rank, whole);
                }
            }
            case AHEAD -> pushGrants.ahead(rank, view);
            case POST, PROBE, CANCEL -> ask(rank, view);
            case WITHDRAW -> withdraw(rank, view);
            case POLLS -> logPolls(rank, view.finalizeFailedPolls());
            default -> takeOfHistory(rank, frame);
        }
    }

    /** The message that this frame completes, for the comparison with the rank's followers; null if there is none. */
    private static ResendClaim sum(HomedRank rank, Frame frame) {
        return rank.followers() == null ? null : rank.followers().sum(frame);
    }

    /** Counts a frame that the rank keeps until its message is in the log of its destination's relay. */
    private static void countKept(HomedRank rank, FrameView view) {
        if (rank.job().logged()) {
            rank.safety().took(view, rank.job().crossing(view.destination()));
            if (rank.safety().isDue()) {
                rank.safety().tell(rank.port());
            }
        }
    }

    /** Handles the frames that only a rank with a replayable history sends. */
    private void takeOfHistory(HomedRank rank, Frame frame) throws WireException {
        FrameType type = frame.view().type();
        if (type == FrameType.EVENTS && rank.job().logged()) {
            determinantIntake.take(rank, frame);
        } else if (type == FrameType.RESENT && rank.job().logged()) {
            resent(rank, frame);
        } else if (type == FrameType.IMAGE) {
            checkpoints.image(rank, frame);
        } else {
            throw new WireException(CloseReason.NOT_EXPECTED, type + " from " + rank);
        }
    }

    private void send(HomedRank from, Frame frame) throws WireException {
        FrameView view = frame.view();
        Job job = from.job();
        TransferRules.checkBegin(view, job.size(), TransferRules.beginBytes(view));
        if (view.source() != from.rank()) {
            throw new WireException(CloseReason.WRONG_RANK, view.type() + " in the name of rank " + view.source() + " from " + from);
        }
        logPolls(from, view.failedPolls());
        if (job.logged() && (view.flags() & FrameView.AGAIN) != 0) {
            if (isKnown(from, view)) {
                beginAgain(from, view);
                return;
            }
            beginAnew(from, view);
        }
        HomedRank to = job.homed(view.destination());
        if (to != null && Deliveries.isTooLate(to, view)) {
            return;
        }
        pay(from, view);
        if (to == null) {
            from.outgoing().begin(view, from.repeats()::isGone, job.logged() && job.failures().isDead(view.destination()));
            from.counters().countSent(view.messageBytes());
            if (from.outgoing().isRestored()) {
                view.flags(view.flags() | FrameView.AGAIN); // May have arrived before this core began.
            }
            forward(job, view.destination(), frame, job.logged());
        } else if (deliveries.arrive(to, frame)) {
            from.counters().countSent(view.messageBytes());
        } else {
            dropped(from, view);
        }
    }

    /** Takes a message's cost from its sender's credit, or a place among the waiting offers. */
    private void pay(HomedRank from, FrameView view) throws WireException {
        if (view.type() == FrameType.OFFER) {
            if (!from.sends().takeOfferPlace()) {
                throw new WireException(
                        CloseReason.LIMIT, from + " has " + from.sends().offers() + " sends that nobody has received, the most that may wait");
            }
            return;
        }
        long cost = Wire.cost(view.messageBytes());
        boolean logged = from.job().logged();
        boolean mayExceed = logged && (view.flags() & FrameView.AGAIN) != 0; // It had credit when it was sent first.
        if (!mayExceed && !from.sends().credit().has(cost, config)) {
            throw new WireException(
                    CloseReason.CREDIT_EXCEEDED,
                    view.messageBytes() + " bytes from " + from + " with " + from.sends().creditBytesUsed() + " of "
                            + config.creditBytes() + " in use");
        }
        from.sends().credit().use(cost, logged ? from.job().crossing(view.destination()) : null);
    }

    /** Whether the channel has this message already. */
    private static boolean isKnown(HomedRank from, FrameView view) {
        HomedRank to = from.job().homed(view.destination());
        return to == null
                ? from.outgoing().has(view)
                : view.sequence() <= to.mailbox().lastSequence(view.context(), from.rank());
    }

    /**
     * Handles a repeated start of a message that its channel has in part. It takes no credit, and an offer is cleared
     * again up to its last CLEAR.
     */
    private static void beginAgain(HomedRank from, FrameView view) throws WireException {
        TransferId message = TransferId.outgoing(view);
        if (!from.job().goesOn(view, bytesBegun(from, view, message))) {
            throw new WireException(CloseReason.CANNOT_RESUME, from + " has diverged in message " + message.sequence() + " to rank " + message.peer());
        }
        long upTo = from.repeats().came(message);
        if (view.type() == FrameType.OFFER && isOnItsWay(from, message)) {
            upTo = view.messageBytes();
        }
        if (upTo != SuppressedSends.NOT_CLEARED) {
            from.sends().cleared(view.context(), view.destination(), view.sequence(), upTo);
        }
    }

    /** The length of the message that the channel has in part; the new length if it has no part of it. */
    private static long bytesBegun(HomedRank from, FrameView view, TransferId message) {
        HomedRank to = from.job().homed(message.peer());
        if (to == null) {
            SendState.Open open = from.outgoing().open(message);
            return open == null ? view.messageBytes() : open.bytes();
        }
        Message open = to.receives().openMessage(message.context(), from.rank(), message.sequence());
        return open == null ? view.messageBytes() : open.bytes();
    }

    /**
     * Whether a message of the channel was wholly passed on to another core. Then the rank begins it again only to keep
     * it.
     */
    private static boolean isOnItsWay(HomedRank from, TransferId message) {
        return from.job().homed(message.peer()) == null
                && from.outgoing().open(message) == null
                && !from.repeats().isGone(message);
    }

    /**
     * Begins a message that no channel here knows. An earlier process may have repeated its offer and asked to withdraw
     * it: that does not concern the present process.
     */
    private static void beginAnew(HomedRank from, FrameView view) {
        TransferId message = TransferId.outgoing(view);
        from.repeats().came(message);
        from.repeats().takeUnasked(message);
        if (from.outgoing().forget(message)) {
            from.sends().freeOfferPlace();
        }
    }

    /** Gives back the credit or place that a duplicate has taken. */
    private static void dropped(HomedRank from, FrameView view) {
        if (view.type() == FrameType.OFFER) {
            from.sends().freeOfferPlace();
        } else {
            from.sends().returnCredit(Wire.cost(view.messageBytes()), 1, null);
        }
    }

    private void sendChunk(HomedRank from, Frame frame) throws WireException {
        FrameView view = frame.view();
        int bytes = TransferRules.chunkBytes(view, from.job().logged());
        checkOwn(from, view);
        HomedRank to = from.job().homed(view.destination());
        if (to == null) {
            if (from.job().logged() && from.outgoing().hasPassed(view)) {
                return;
            }
            if (from.outgoing().chunk(view, bytes)) {
                from.sends().freeOfferPlace();
            }
            forward(from.job(), view.destination(), frame, from.job().logged());
        } else {
            deliveries.arriveChunk(to, frame, bytes);
        }
    }

    static void checkOwn(HomedRank from, FrameView view) throws WireException {
        if (view.source() != from.rank() || view.destination() < 0 || view.destination() >= from.job().size()) {
            throw new WireException(
                    CloseReason.WRONG_RANK,
                    view.type() + " from rank " + view.source() + " to rank " + view.destination() + " sent by " + from);
        }
    }

    static void forward(Job job, int destination, Frame frame, boolean kept) {
        Peer peer = job.peer(destination);
        boolean way = kept ? job.crossing(destination).pass(frame.hold()) : peer.forward(frame.hold(), false);
        if (!way) {
            job.fail(CloseReason.SITE_UNREACHABLE, "no way to " + peer + ", the home of rank " + destination);
        }
    }

    /**
     * Handles a rank's request to its mailbox. A rank in replay gets the results it had before, and asks when it is
     * live.
     */
    private void ask(HomedRank rank, FrameView view) throws WireException {
        if (rank.replay() != null) {
            throw new WireException(CloseReason.NOT_EXPECTED, view.type() + " from " + rank + ", which is replayed");
        }
        checkPattern(rank, view);
        logPolls(rank, view.postFailedPolls());
        switch (view.type()) {
            case POST -> post(rank, view);
            case PROBE -> probe(rank, view);
            default -> cancel(rank, view);
        }
    }

    private void post(HomedRank rank, FrameView view) throws WireException {
        checkRoom(rank, view);
        Receive receive = rank.job().logged()
                ? Receive.numbered(view.context(), view.source(), view.tag(), view.postRequest(), view.ordinal())
                : Receive.of(view.context(), view.source(), view.tag(), view.postRequest());
        long now = deliveries.times().now();
        Message message = rank.mailbox().post(receive, now);
        if (message != null) {
            deliveries.times().messageWaited(message, now);
            deliveries.deliver(rank, message);
        }
    }

    /**
     * A message that a restarted rank need not send again. A follower that leads now may have sent it before it read
     * so; then it sends the message again, if that is not here.
     */
    private void resent(HomedRank rank, Frame frame) throws WireException {
        FrameView view = frame.view();
        checkOwn(rank, view);
        if (rank.replay() != null && rank.replay().wasFollowing() && !isKnown(rank, view)) {
            return;
        }
        if (rank.job().isInMemory() && rank.followers() != null) {
            compareWithSent(rank, ResendClaim.of(view));
        }
        if (rank.job().homed(view.destination()) == null) {
            forward(rank.job(), view.destination(), frame, true);
            rank.safety().passed(view, rank.job().crossing(view.destination()));
        } else {
            historySource.resent(rank.job().id(), rank.rank(), ResendClaim.of(view));
        }
    }

    /** No log has what the leader before this one sent: its checksums count, as far as they are still here. */
    private static void compareWithSent(HomedRank rank, ResendClaim claim) {
        String difference = rank.followers().differenceFromSent(claim);
        if (!difference.isEmpty()) {
            rank.job().diverged(rank.rank(), claim.context(), claim.destination(), claim.sequence(), difference);
        }
    }

    private void probe(HomedRank rank, FrameView view) throws WireException {
        Message found = rank.mailbox().find(view.context(), view.source(), view.tag());
        boolean mayCome = view.source() == Wire.ANY || !rank.job().failures().isDead(view.source());
        if (found == null && mayCome && (view.flags() & FrameView.BLOCKING) != 0) {
            checkRoom(rank, view);
            rank.mailbox().postProbe(Receive.of(view.context(), view.source(), view.tag(), view.postRequest()));
        } else {
            checkReads(rank);
            rank.port().probeAnswer(view.postRequest(), found);
        }
    }

    private static void checkReads(HomedRank rank) throws WireException {
        if (!rank.reads() && rank.receives().countUnreadAnswer() > UNREAD_ANSWERS_MAX) {
            throw new WireException(
                    CloseReason.LIMIT, rank + " asks and does not read the answers: " + UNREAD_ANSWERS_MAX + " wait for it");
        }
    }

    private static void cancel(HomedRank rank, FrameView view) throws WireException {
        checkReads(rank);
        boolean gone = rank.mailbox().cancel(view.context(), view.source(), view.postRequest());
        rank.port().cancelled(view.postRequest(), gone);
    }

    private void withdraw(HomedRank from, FrameView view) throws WireException {
        Job job = from.job();
        int destination = view.destination();
        checkOwn(from, view);
        logPolls(from, view.postFailedPolls());
        checkReads(from);
        TransferId offer = TransferId.outgoing(view);
        if (from.repeats().takeUnasked(offer)) {
            return; // The process before has asked, and this one gets the answer.
        }
        HomedRank to = job.homed(destination);
        if (from.repeats().isGone(offer)) {
            from.port().withdrawn(view.context(), destination, view.sequence(), true);
        } else if (from.repeats().gone().size() >= SuppressedSends.GONE_MAX) {
            throw new WireException(
                    CloseReason.LIMIT, from + " takes back more than " + SuppressedSends.GONE_MAX + " sends, each of which is remembered until its job ends");
        } else if (to == null && from.outgoing().withdraw(view)) {
            job.peer(destination).withdraw(job.id(), view.context(), from.rank(), destination, view.sequence());
        } else if (to == null && from.outgoing().mayHaveForgotten(offer)) {
            ask(from, offer);
        } else if (to != null && Deliveries.isUnknownToTheDead(to, view)) {
            from.sends().answer(offer, true); // It has no place.
        } else {
            from.sends().withdrawn(view.context(), destination, view.sequence(), to != null && deliveries.withdraw(to, view));
        }
    }

    /**
     * Asks the message's destination whether an earlier process of the rank had withdrawn it, which this core has
     * forgotten.
     */
    private static void ask(HomedRank from, TransferId message) throws WireException {
        if (from.repeats().questions().size() == SendSide.OFFERS_MAX) {
            throw new WireException(CloseReason.LIMIT, from + " has " + SendSide.OFFERS_MAX + " sends to be taken back, the most that may wait");
        }
        if (!from.repeats().ask(message)) {
            throw new WireException(CloseReason.NOT_EXPECTED, "WITHDRAW of a message that is being withdrawn: " + message);
        }
        Job job = from.job();
        job.peer(message.peer()).withdraw(job.id(), message.context(), from.rank(), message.peer(), message.sequence());
    }

    private static void checkPattern(HomedRank rank, FrameView view) throws WireException {
        int source = view.source();
        if (source != Wire.ANY && (source < 0 || source >= rank.job().size())) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME,
                    view.type() + " for source " + source + " from " + rank + ", which has " + rank.job().size() + " ranks");
        }
        if (view.destination() != rank.rank()) {
            throw new WireException(
                    CloseReason.WRONG_RANK, view.type() + " in the name of rank " + view.destination() + " from " + rank);
        }
        if (rank.mailbox().isOpen(view.context())) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED, view.type() + " from " + rank + " in " + rank.mailbox().round(view.context()));
        }
    }

    private static void checkRoom(HomedRank rank, FrameView view) throws WireException {
        Mailbox mailbox = rank.mailbox();
        if (!mailbox.mayPost()) {
            throw new WireException(CloseReason.LIMIT, rank + " has " + mailbox.posted() + " receives posted, the most that may wait");
        }
        if (!mailbox.mayUse(view.context(), view.source())) {
            throw new WireException(CloseReason.LIMIT, view.type() + " in context " + view.context() + " from " + rank + ", where " + mailbox.used());
        }
    }

    /**
     * Journals how many polls of the rank had failed before this frame.
     *
     * @param told the low 32 bits of all since its start; less than is known in a frame that is repeated
     */
    static void logPolls(HomedRank rank, int told) {
        if (rank.learnFailedPolls(told)) {
            rank.job().journal().polls(rank.job().id(), rank.rank(), rank.incarnation(), rank.counters().failedPolls());
        }
    }
}
