package org.posthouse.core;

import org.posthouse.wire.FrameType;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Stall;
import org.posthouse.wire.WireException;

/**
 * Finds collectives that do not match, from what blocked ranks say, and tells the ranks that would hang. Part of {@link
 * RelayCore}; what was said is kept by {@link Stalls}.
 */
final class Mismatches {
    private final Standstills standstills;

    Mismatches(Standstills standstills) {
        this.standstills = standstills;
    }

    /** A rank says that it is blocked in a call, or no more. */
    void blocked(HomedRank rank, Stall stall, long nowNanos) throws WireException {
        Job job = rank.job();
        if (rank.state() == RankState.REPLAYING) {
            return; // Where it is blocked it has been before.
        }
        if (rank.state() != RankState.CONNECTED || stall.job() != job.id() || stall.rank() != rank.rank()) {
            throw new WireException(Reason.WRONG_RANK, "BLOCKED in the name of rank " + stall.rank() + " from " + rank);
        }
        job.peers().forEach(peer -> peer.stall(FrameType.BLOCKED, stall));
        take(job, stall, nowNanos);
    }

    /** The same, or its verdict, from another core. @throws WireException if that is not its to say */
    void stalled(Job job, Peer peer, FrameType type, Stall stall, long nowNanos) throws WireException {
        boolean known = stall.rank() >= 0 && stall.rank() < job.size();
        if (type == FrameType.BLOCKED && known && job.peer(stall.rank()) == peer) {
            take(job, stall, nowNanos);
        } else if (type == FrameType.MISMATCH && known && job.homed(stall.rank()) != null && job.peers().contains(peer)) {
            tell(job, stall);
        } else {
            throw new WireException(Reason.WRONG_SITE, type + " about rank " + stall.rank());
        }
    }

    /** A rank will enter no collective any more: those that wait for it would wait for ever. */
    void finalized(HomedRank rank) {
        Job job = rank.job();
        job.stalls().waitingFor(rank.rank()).forEach(stall -> desert(job, stall));
    }

    /** A point-to-point call needs nobody else in the same: it is for people, and proves nothing. */
    private void take(Job job, Stall stall, long nowNanos) {
        standstills.word(job, stall, nowNanos);
        if (!stall.isPointToPoint()) {
            judge(job, stall, nowNanos);
        }
    }

    private void judge(Job job, Stall stall, long nowNanos) {
        job.stalls().judge(stall, nowNanos).forEach(verdict -> tell(job, verdict));
        HomedRank peer = job.homed(stall.peer());
        if (!stall.text().isEmpty() && peer != null && peer.state() == RankState.FINALIZED) {
            desert(job, stall);
        }
    }

    private void desert(Job job, Stall stall) {
        if (job.homed(stall.rank()) == null) {
            job.peer(stall.rank()).stall(FrameType.MISMATCH, Stalls.deserted(stall));
        } else {
            tell(job, Stalls.deserted(stall));
        }
    }

    /**
     * Tells a rank that is at home here and reads; its own relay tells any other. What the rank's peer sent before it
     * went on has come: so if a receive for that peer is posted still, it is posted for ever. If none is, all that the
     * rank had asked for has come, and it may ask for more; it will say so again if it stays. If the context runs ahead, all that
     * came has been sent, and the rank knows what it waits for.
     */
    private static void tell(Job job, Stall stall) {
        HomedRank rank = job.homed(stall.rank());
        if (rank == null || rank.port() == null || !rank.port().writable()) {
            return;
        }
        Mailbox mailbox = rank.mailbox();
        if (stall.peer() < 0 || mailbox.waitsFor(stall.context(), stall.peer()) || mailbox.isOpen(stall.context())) {
            rank.port().mismatch(stall);
        }
    }
}
