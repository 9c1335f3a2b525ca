package org.posthouse.core;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.List;
import org.posthouse.wire.Agree;
import org.posthouse.wire.Agreed;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.Revocation;
import org.posthouse.wire.WireException;

/**
 * Handles deaths of ranks that their programs survive, communicators that programs revoke, and agreements (docs/failures.md). A rank's home relay
 * alone declares it dead. The core that is the home of rank 0 decides all agreements. In a logged job deaths, revocations and decisions are in the
 * log before anybody is told, and are told again to ranks and relays that come back. Part of {@link RelayCore}.
 */
final class FailureFrames {
    /** Limit of revoked communicators, and of agreements that wait, of one job: at some 300 bytes each, 20 MiB. */
    private static final int KEPT_MAX = 64 * 1024;

    private static final int NO_RANK = -1;

    private final Deliveries deliveries;

    FailureFrames(Deliveries deliveries) {
        this.deliveries = deliveries;
    }

    // ---- deaths

    /**
     * Declares a rank of this core dead, whose connection has ended: what waits for it is discarded, and all others are told, behind all that came
     * from it.
     */
    void declareDead(HomedRank rank) {
        Job job = rank.job();
        RankFailed failed = new RankFailed(job.id(), rank.rank(), rank.incarnation());
        job.journal().failed(job.id(), failed.rank(), failed.encode());
        job.peers().forEach(peer -> peer.failure(failed.encode(), true));
        died(job, failed);
        deliveries.discardAll(rank);
    }

    /** A rank, at home here or elsewhere, is dead: nothing more comes from its process. */
    private void died(Job job, RankFailed failed) {
        if (job.failures().isDead(failed.rank())) {
            return;
        }
        if (job.homed(failed.rank()) == null) {
            job.journal().failed(job.id(), failed.rank(), failed.encode());
        }
        job.failures().died(failed);
        for (HomedRank to : job.homedRanks()) {
            deliveries.sourceDied(to, failed.rank());
            tell(to, failed.encode());
            Deliveries.endProbes(to, failed.rank());
        }
        for (PendingAgreement agreement : job.failures().pending()) {
            decide(job, agreement);
        }
        job.failures().takeTellable().forEach(agreed -> tellMembers(job, agreed));
    }

    /** Tells a rank that has just connected for the first time, or has observed its history again, of the deaths and revocations that were before. */
    static void tellKnown(HomedRank rank) {
        JobFailures failures = rank.job().failures();
        failures.deaths().forEach(failed -> tell(rank, failed.encode()));
        for (Revocation revocation : failures.revocations()) {
            if (revocation.members().get(rank.rank())) {
                tell(rank, revocation.encode());
            }
        }
    }

    /** Tells a rank, unless it is not connected, or observes its history: then it is told behind that. */
    private static void tell(HomedRank rank, ByteBuffer frame) {
        if (rank.port() != null && rank.replay() == null) {
            rank.port().failure(frame);
        }
    }

    // ---- after a restart

    /**
     * Restores what the relay's log says of failures, before anybody connects. What other relays have not been told before the restart they are told now.
     *
     * @param frames RANK_FAILED, REVOKE and AGREED
     */
    void restore(Job job, List<ByteBuffer> frames) throws WireException {
        for (ByteBuffer frame : frames) {
            switch (new FrameView().wrap(frame, frame.position()).type()) {
                case RANK_FAILED -> restore(job, RankFailed.decode(frame));
                case REVOKE -> {
                    Revocation revocation = Revocation.decode(frame);
                    job.failures().revoke(revocation);
                    job.homedRanks().stream().filter(rank -> revocation.members().get(rank.rank())).forEach(
                            rank -> deliveries.revoke(rank, revocation.context()));
                }
                default -> job.failures().decided(Agreed.decode(frame));
            }
        }
        job.peers().forEach(peer -> tellAgain(job, peer));
    }

    private void restore(Job job, RankFailed failed) {
        job.failures().died(failed);
        job.homedRanks().forEach(rank -> deliveries.sourceDied(rank, failed.rank()));
        HomedRank dead = job.homed(failed.rank());
        if (dead != null) {
            dead.restoreDead(failed.incarnation());
            deliveries.discardAll(dead);
        }
    }

    /** The peer's relay was restarted, or this one: what it may not have been told it is told again. */
    static void tellAgain(Job job, Peer peer) {
        JobFailures failures = job.failures();
        for (RankFailed failed : failures.deaths()) {
            if (job.homed(failed.rank()) != null) {
                peer.failure(failed.encode(), true);
            }
        }
        failures.revocations().forEach(revocation -> peer.failure(revocation.encode(), false));
        if (job.peer(Agree.COORDINATOR) == peer) {
            failures.parts().forEach(part -> peer.failure(part.encode(), false));
        }
    }

    // ---- frames

    /** A frame of a connected rank. */
    void fromRank(HomedRank rank, Frame frame) throws WireException {
        Job job = rank.job();
        FrameType type = frame.view().type();
        if (type == FrameType.REVOKE) {
            Revocation revocation = Revocation.decode(frame.copy());
            requireMember(rank, type, revocation.members());
            if (revoke(job, revocation)) {
                job.peers().forEach(peer -> peer.failure(revocation.encode(), false));
            }
        } else {
            Agree part = Agree.decode(frame.copy());
            requireMember(rank, type, part.members());
            if (part.rank() != rank.rank()) {
                throw new WireException(CloseReason.WRONG_RANK, type + " in the name of rank " + part.rank() + " from " + rank);
            }
            if (part.kind() == Agree.Kind.REBUILD && !job.rebuilds()) {
                throw new WireException(CloseReason.NOT_EXPECTED, type + " of a rebuild from " + rank + ", whose job does not replace the dead");
            }
            Peer peer = job.peer(Agree.COORDINATOR);
            if (peer == null) {
                join(job, part);
            } else {
                if (job.logged()) {
                    job.failures().asked(part);
                }
                peer.failure(part.encode(), false);
            }
        }
    }

    private static void requireMember(HomedRank rank, FrameType type, BitSet members) throws WireException {
        requireRanks(rank.job(), type, members);
        if (!members.get(rank.rank())) {
            throw new WireException(CloseReason.WRONG_RANK, type + " from " + rank + " for a communicator of ranks " + members);
        }
    }

    private static void requireRanks(Job job, FrameType type, BitSet members) throws WireException {
        if (members.length() > job.size()) {
            throw new WireException(CloseReason.WRONG_RANK,
                    type + " for rank " + (members.length() - 1) + " of " + job + ", which has " + job.size() + " ranks");
        }
    }

    /** A frame of another core. */
    void fromPeer(Job job, Peer peer, Frame frame) throws WireException {
        FrameType type = frame.view().type();
        if (!job.peers().contains(peer)) {
            throw new WireException(CloseReason.WRONG_SITE, type + " of " + job + " from " + peer);
        }
        switch (type) {
            case RANK_FAILED -> {
                RankFailed failed = RankFailed.decode(frame.copy());
                requireHome(job, peer, type, failed.rank());
                died(job, failed);
            }
            case REVOKE -> {
                Revocation revocation = Revocation.decode(frame.copy());
                requireRanks(job, type, revocation.members());
                revoke(job, revocation);
            }
            case AGREE -> {
                Agree part = Agree.decode(frame.copy());
                requireRanks(job, type, part.members());
                requireHome(job, peer, type, part.rank());
                if (job.homed(Agree.COORDINATOR) == null) {
                    throw new WireException(
                            CloseReason.WRONG_RANK, type + " for the relay of rank " + Agree.COORDINATOR + ", which is not at home here");
                }
                join(job, part);
            }
            default -> {
                Agreed agreed = Agreed.decode(frame.copy());
                requireRanks(job, type, agreed.members());
                requireHome(job, peer, type, Agree.COORDINATOR);
                agreed(job, agreed);
            }
        }
    }

    private static void requireHome(Job job, Peer peer, FrameType type, int rank) throws WireException {
        if (rank >= job.size() || job.peer(rank) != peer) {
            throw new WireException(CloseReason.WRONG_SITE, type + " in the name of rank " + rank);
        }
    }

    private boolean revoke(Job job, Revocation revocation) throws WireException {
        requireRoom(revocation.context(), job.failures().revocations().size());
        boolean isNew = !job.failures().isRevoked(revocation);
        if (isNew) {
            job.journal().failed(job.id(), NO_RANK, revocation.encode());
            job.failures().revoke(revocation);
        }
        for (HomedRank rank : job.homedRanks()) {
            if (isNew && revocation.members().get(rank.rank())) {
                deliveries.revoke(rank, revocation.context());
                tell(rank, revocation.encode());
            }
        }
        return isNew;
    }

    /** Takes a rank's part in an agreement that is decided here. Programs whose calls do not match end, as nothing could be agreed on. */
    private void join(Job job, Agree part) throws WireException {
        if (part.kind() == Agree.Kind.REBUILD) {
            job.failures().joinRebuild(part);
            decideRebuild(job);
            return;
        }
        Agreed decided = job.failures().decided(part);
        if (decided != null) {
            answer(job, part, decided);
            return;
        }
        requireRoom(part.context(), job.failures().keptAgreements());
        PendingAgreement agreement = job.failures().agreement(part);
        if (agreement.matches(part)) {
            decide(job, agreement.add(part));
        } else {
            job.report(JobEvent.ABORTED, part.rank(), 1, "takes part in " + part.kind() + " of ranks " + part.members() + " as agreement " + part.number()
                    + " of its communicator, which is " + agreement.call() + ": all members must make the same calls in the same order");
        }
    }

    /** A rank that was restarted, or whose relay was, asks for what is decided. */
    private static void answer(Job job, Agree part, Agreed decided) {
        Peer peer = job.peer(part.rank());
        if (peer == null) {
            job.homed(part.rank()).port().failure(decided.encode());
        } else {
            peer.failure(decided.encode(), false);
        }
    }

    private static void requireRoom(int context, int kept) throws WireException {
        if (context >= Mailbox.CONTEXTS_MAX || kept >= KEPT_MAX) {
            throw new WireException(
                    CloseReason.LIMIT, "context " + context + ", expected at most " + (Mailbox.CONTEXTS_MAX - 1) + ", with " + kept
                            + " others revoked or agreed on, expected fewer than " + KEPT_MAX);
        }
    }

    /** A rank has called Finalize: nobody waits any longer for a communicator with it. */
    void finalized(HomedRank rank) {
        Job job = rank.job();
        BitSet self = new BitSet();
        self.set(rank.rank());
        Agree part = new Agree(job.id(), 0, rank.rank(), 1, Agree.Kind.REBUILD, 0, self, new BitSet());
        Peer peer = job.peer(Agree.COORDINATOR);
        if (peer == null) {
            job.failures().joinRebuild(part);
            decideRebuild(job);
        } else {
            peer.failure(part.encode(), false);
        }
    }

    private void decideRebuild(Job job) {
        Agreed agreed = job.failures().decideRebuild(job.id());
        if (agreed != null) {
            job.peers().forEach(peer -> peer.failure(agreed.encode(), false));
            agreed(job, agreed);
        }
    }

    private void decide(Job job, PendingAgreement agreement) {
        Agreed agreed = job.failures().decide(agreement);
        if (agreed != null) {
            if (job.logged()) {
                job.journal().agreed(job.id(), agreed.encode());
                job.failures().decided(agreed);
            }
            job.peers().forEach(peer -> peer.failure(agreed.encode(), false));
            agreed(job, agreed);
        }
    }

    /** A rank is told of a death before it is told of an agreement that follows it. */
    private static void agreed(Job job, Agreed agreed) {
        if (job.failures().isTellable(agreed)) {
            tellMembers(job, agreed);
        }
    }

    private static void tellMembers(Job job, Agreed agreed) {
        job.failures().answered(agreed);
        for (HomedRank rank : job.homedRanks()) {
            if (agreed.members().get(rank.rank()) && rank.port() != null) {
                rank.port().failure(agreed.encode()); // Also to one that observes its history: it may have asked for it there.
            }
        }
    }
}
