package org.posthouse.core;

import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.WireException;

/**
 * Finds collectives that do not match, from the reports of blocked ranks, and tells the ranks that would hang. Part of
 * {@link RelayCore}; {@link CollectiveCalls} keeps the reports.
 */
final class CollectiveMismatchDetector {
    private final StallReporter stallReporter;

    CollectiveMismatchDetector(StallReporter stallReporter) {
        this.stallReporter = stallReporter;
    }

    /** A rank says that it is blocked in a call, or no more. */
    void blocked(HomedRank rank, BlockedReport blockedReport, long nowNanos) throws WireException {
        Job job = rank.job();
        if (rank.state() == RankState.REPLAYING) {
            return; // Where it is blocked it has been before.
        }
        if (rank.state() != RankState.CONNECTED || blockedReport.job() != job.id() || blockedReport.rank() != rank.rank()) {
            throw new WireException(CloseReason.WRONG_RANK, "BLOCKED in the name of rank " + blockedReport.rank() + " from " + rank);
        }
        job.peers().forEach(peer -> peer.stall(FrameType.BLOCKED, blockedReport));
        take(job, blockedReport, nowNanos);
    }

    /** The same, or its verdict, from another core. @throws WireException if that is not its to say */
    void stalled(Job job, Peer peer, FrameType type, BlockedReport blockedReport, long nowNanos) throws WireException {
        boolean known = blockedReport.rank() >= 0 && blockedReport.rank() < job.size();
        if (type == FrameType.BLOCKED && known && job.peer(blockedReport.rank()) == peer) {
            take(job, blockedReport, nowNanos);
        } else if (type == FrameType.MISMATCH && known && job.homed(blockedReport.rank()) != null && job.peers().contains(peer)) {
            tell(job, blockedReport);
        } else {
            throw new WireException(CloseReason.WRONG_SITE, type + " about rank " + blockedReport.rank());
        }
    }

    /** A rank will enter no collective any more: those that wait for it would wait for ever. */
    void finalized(HomedRank rank) {
        Job job = rank.job();
        job.stalls().waitingFor(rank.rank()).forEach(blockedReport -> desert(job, blockedReport));
    }

    /** A point-to-point call needs nobody else in the same: it is for people, and proves nothing. */
    private void take(Job job, BlockedReport blockedReport, long nowNanos) {
        stallReporter.word(job, blockedReport, nowNanos);
        if (!blockedReport.isPointToPoint()) {
            judge(job, blockedReport, nowNanos);
        }
    }

    private void judge(Job job, BlockedReport blockedReport, long nowNanos) {
        job.stalls().judge(blockedReport, nowNanos).forEach(verdict -> tell(job, verdict));
        HomedRank peer = job.homed(blockedReport.peer());
        if (!blockedReport.text().isEmpty() && peer != null && peer.state() == RankState.FINALIZED) {
            desert(job, blockedReport);
        }
    }

    private void desert(Job job, BlockedReport blockedReport) {
        if (job.homed(blockedReport.rank()) == null) {
            job.peer(blockedReport.rank()).stall(FrameType.MISMATCH, CollectiveCalls.deserted(blockedReport));
        } else {
            tell(job, CollectiveCalls.deserted(blockedReport));
        }
    }

    /**
     * Tells a rank that is at home here and reads; its own relay tells any other. What the rank's peer sent before it
     * went on has come: so if a receive for that peer is posted still, it is posted for ever. If none is, all that the
     * rank had asked for has come, and it may ask for more; it will say so again if it stays. If the context runs ahead, all that
     * came has been sent, and the rank knows what it waits for.
     */
    private static void tell(Job job, BlockedReport blockedReport) {
        HomedRank rank = job.homed(blockedReport.rank());
        if (rank == null || rank.port() == null || !rank.port().writable()) {
            return;
        }
        Mailbox mailbox = rank.mailbox();
        if (blockedReport.peer() < 0 || mailbox.waitsFor(blockedReport.context(), blockedReport.peer()) || mailbox.isOpen(blockedReport.context())) {
            rank.port().mismatch(blockedReport);
        }
    }
}
