package org.posthouse.core;

import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** What a rank that is at home here may ask for: sends, receives, probes, and taking them back. Part of {@link RelayCore}. */
final class RankFrames {
    /** Answers to probes that may wait for a rank that does not read. A thread of a rank awaits one at a time. */
    static final int UNREAD_ANSWERS_MAX = 16_384;

    private final CoreConfig config;
    private final Deliveries deliveries;

    RankFrames(CoreConfig config, Deliveries deliveries) {
        this.config = config;
        this.deliveries = deliveries;
    }

    /** A frame of a connected rank, about its own job. */
    void take(HomedRank rank, Frame frame) throws WireException {
        FrameView view = frame.view();
        switch (view.type()) {
            case SEND, EAGER, OFFER -> send(rank, frame);
            case CHUNK -> sendChunk(rank, frame);
            case POST -> post(rank, view);
            case PROBE -> probe(rank, view);
            case CANCEL -> cancel(rank, view);
            case WITHDRAW -> withdraw(rank, view);
            case POLLS -> logPolls(rank, view.finalizeFailedPolls());
            default -> throw new WireException(Reason.NOT_EXPECTED, view.type() + " from " + rank);
        }
    }

    private void send(HomedRank from, Frame frame) throws WireException {
        FrameView view = frame.view();
        Job job = from.job();
        Transfers.checkBegin(view, job.size(), Transfers.payloadBytes(view, Wire.MESSAGE_HEADER_BYTES));
        if (view.source() != from.rank()) {
            throw new WireException(Reason.WRONG_RANK, view.type() + " in the name of rank " + view.source() + " from " + from);
        }
        logPolls(from, view.failedPolls());
        if (view.type() != FrameType.OFFER && !from.useCredit(Wire.cost(view.messageBytes()), config)) {
            throw new WireException(
                    Reason.CREDIT_EXCEEDED,
                    view.messageBytes() + " bytes from " + from + " with " + from.creditBytesUsed() + " of "
                            + config.creditBytes() + " in use");
        }
        if (view.type() == FrameType.OFFER && !from.takeOfferPlace()) {
            throw new WireException(
                    Reason.LIMIT, from + " has " + from.offers() + " sends that nobody has received, the most that may wait");
        }
        from.countSent(view.messageBytes());
        HomedRank to = job.homed(view.destination());
        if (to == null) {
            from.outgoing().begin(view);
            forward(job, view.destination(), frame);
        } else if (!deliveries.arrive(to, frame)) {
            dropped(from, view);
        }
    }

    /** Gives back what a duplicate has taken. */
    private static void dropped(HomedRank from, FrameView view) {
        if (view.type() == FrameType.OFFER) {
            from.freeOfferPlace();
        } else {
            from.returnCredit(Wire.cost(view.messageBytes()), 1);
        }
    }

    private void sendChunk(HomedRank from, Frame frame) throws WireException {
        FrameView view = frame.view();
        int bytes = Transfers.payloadBytes(view, Wire.CHUNK_HEADER_BYTES);
        checkOwn(from, view);
        HomedRank to = from.job().homed(view.destination());
        if (to == null) {
            from.outgoing().chunk(view, bytes);
            forward(from.job(), view.destination(), frame);
        } else {
            deliveries.arriveChunk(to, frame, bytes);
        }
    }

    private static void checkOwn(HomedRank from, FrameView view) throws WireException {
        if (view.source() != from.rank() || view.destination() < 0 || view.destination() >= from.job().size()) {
            throw new WireException(
                    Reason.WRONG_RANK,
                    view.type() + " from rank " + view.source() + " to rank " + view.destination() + " sent by " + from);
        }
    }

    private static void forward(Job job, int destination, Frame frame) {
        Peer peer = job.peer(destination);
        if (!peer.forward(frame.hold())) {
            job.fail(Reason.SITE_UNREACHABLE, "no way to " + peer + ", the home of rank " + destination);
        }
    }

    private void post(HomedRank rank, FrameView view) throws WireException {
        checkPattern(rank, view);
        logPolls(rank, view.postFailedPolls());
        checkRoom(rank);
        Receive receive = Receive.of(view.context(), view.source(), view.tag(), view.postRequest());
        long now = deliveries.times().now();
        Message message = rank.mailbox().post(receive, now);
        if (message != null) {
            deliveries.times().messageWaited(message, now);
            deliveries.deliver(rank, message);
        }
    }

    private void probe(HomedRank rank, FrameView view) throws WireException {
        checkPattern(rank, view);
        logPolls(rank, view.postFailedPolls());
        Message found = rank.mailbox().find(view.context(), view.source(), view.tag());
        if (found == null && (view.flags() & FrameView.BLOCKING) != 0) {
            checkRoom(rank);
            rank.mailbox().postProbe(Receive.of(view.context(), view.source(), view.tag(), view.postRequest()));
        } else {
            checkReads(rank);
            rank.port().probeAnswer(view.postRequest(), found);
        }
    }

    private static void checkReads(HomedRank rank) throws WireException {
        if (!rank.port().writable() && rank.countUnreadAnswer() > UNREAD_ANSWERS_MAX) {
            throw new WireException(
                    Reason.LIMIT, rank + " asks and does not read the answers: " + UNREAD_ANSWERS_MAX + " wait for it");
        }
    }

    private void cancel(HomedRank rank, FrameView view) throws WireException {
        checkPattern(rank, view);
        logPolls(rank, view.postFailedPolls());
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
        HomedRank to = job.homed(destination);
        if (to == null && from.outgoing().withdraw(view)) {
            job.peer(destination).withdraw(job.id(), view.context(), from.rank(), destination, view.sequence());
        } else {
            boolean gone = to != null && deliveries.withdraw(to, view);
            if (gone) {
                from.freeOfferPlace();
            }
            from.port().withdrawn(view.context(), destination, view.sequence(), gone);
        }
    }

    private static void checkPattern(HomedRank rank, FrameView view) throws WireException {
        int source = view.source();
        if (source != Wire.ANY && (source < 0 || source >= rank.job().size())) {
            throw new WireException(
                    Reason.MALFORMED_FRAME,
                    view.type() + " for source " + source + " from " + rank + ", which has " + rank.job().size() + " ranks");
        }
        if (view.destination() != rank.rank()) {
            throw new WireException(
                    Reason.WRONG_RANK, view.type() + " in the name of rank " + view.destination() + " from " + rank);
        }
    }

    private static void checkRoom(HomedRank rank) throws WireException {
        if (!rank.mailbox().mayPost()) {
            throw new WireException(
                    Reason.LIMIT, rank + " has " + rank.mailbox().posted() + " receives posted, the most that may wait");
        }
    }

    /**
     * Journals how many polls of the rank had failed before this frame.
     *
     * @param told the low 32 bits of all since its start; less than is known in a frame that is repeated
     */
    static void logPolls(HomedRank rank, int told) {
        if (rank.learnFailedPolls(told)) {
            rank.job().journal().polls(rank.job().id(), rank.rank(), rank.incarnation(), rank.failedPolls());
        }
    }
}
