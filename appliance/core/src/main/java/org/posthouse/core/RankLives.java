package org.posthouse.core;

import java.util.List;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.WireException;

/**
 * How ranks come, move to other connections, and go: with Finalize, without a word, or with their job. Who may come is for {@link Admissions} to say.
 * Part of {@link RelayCore}.
 */
final class RankLives {
    private final Deliveries deliveries;
    private final Checkpoints checkpoints;
    private final Mismatches mismatches;
    private final Admissions admissions;

    RankLives(
            String relay,
            CoreConfig config,
            Deliveries deliveries,
            Checkpoints checkpoints,
            Mismatches mismatches,
            Historian historian) {
        this.deliveries = deliveries;
        this.checkpoints = checkpoints;
        this.mismatches = mismatches;
        this.admissions = new Admissions(relay, config, historian, rank -> leave(rank, RankState.AWAY));
    }

    // ---- coming

    /** Whoever says that he is this rank does not know its token: tells the job's launcher. */
    static Refusal unproven(Job job, int rank) {
        Refusal refusal = new Refusal(
                CloseReason.WRONG_TOKEN, "rank " + rank + " of job " + job.hexId() + " came with a token that is not this rank's");
        tellRefused(job, rank, refusal);
        return refusal;
    }

    /** Lets the rank that says {@code hello} in. */
    HomedRank connect(Job job, Hello hello, List<StatePage.Entry> state, RankPort port) throws Refusal {
        try {
            return admissions.admit(job, hello, state, port, deliveries.times().now());
        } catch (JournalFailure e) {
            job.fail(e); // Whoever was the rank has been closed, and nobody can be let in.
            throw new Refusal(e.reason(), e.getMessage());
        } catch (Refusal refusal) {
            if (!isKnownToLauncher(job, hello, refusal)) {
                tellRefused(job, hello.rank(), refusal);
            }
            throw refusal;
        }
    }

    /** It takes this relay for its own one, and tries on; or the answer to its HELLO was lost, and it says it again and ends. */
    private static boolean isKnownToLauncher(Job job, Hello hello, Refusal refusal) {
        return switch (refusal.reason()) {
            case WRONG_RANK -> hello.rank() >= 0 && hello.rank() < job.size();
            case FENCED -> {
                HomedRank rank = job.homed(hello.rank());
                boolean isCutOff = rank.state() == RankState.AWAY || rank.state() == RankState.LOST;
                yield isCutOff && hello.incarnation() == rank.incarnation();
            }
            default -> false;
        };
    }

    private static void tellRefused(Job job, int rank, Refusal refusal) {
        job.report(JobEvent.REFUSED, rank, refusal.reason().code(), refusal.getMessage());
    }

    /** What to answer a rank that was let in. */
    Welcome welcome(HomedRank rank) {
        return admissions.welcome(rank);
    }

    // ---- moving

    /** Asks it to connect again, if it is there. @return whether it is asked, now or since before, or will be */
    static boolean askMove(HomedRank rank) {
        boolean there = rank.state() == RankState.CONNECTED || rank.state() == RankState.REPLAYING;
        if (there && !rank.isMoveAsked()) {
            rank.askMove();
        }
        return there;
    }

    /** It has stopped writing, as it was asked to. */
    static void beginMove(HomedRank rank) throws WireException {
        if (!rank.isMoveAsked() || rank.isFinalizing()) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED, "MOVE from " + rank + ", which " + (rank.isFinalizing() ? "has said FINALIZE" : "was not asked to"));
        }
        RankPort port = rank.port();
        rank.beginMove();
        port.close(CloseNotice.closing(rank.job().id(), CloseReason.MOVED, "connect again"));
    }

    /** It has not come in time, unless its {@code move}-th move is over. */
    void moveFailed(HomedRank rank, int move, CloseNotice why) {
        if (rank.state() == RankState.MOVING && rank.moves() == move) {
            lose(rank, why);
        }
    }

    // ---- going

    /** The connection of {@code port} ended. */
    void disconnected(HomedRank rank, RankPort port, CloseNotice why) {
        boolean replayed = rank.replay() != null && rank.replay().port() == port;
        if (replayed || rank.state() == RankState.CONNECTED && rank.port() == port) {
            lose(rank, why);
        }
    }

    /** It has gone without a word: for ever, or until its next incarnation comes. */
    private void lose(HomedRank rank, CloseNotice why) {
        boolean awaited = rank.job().logged();
        leave(rank, awaited ? RankState.AWAY : RankState.LOST);
        rank.job().report(awaited ? JobEvent.AWAY : JobEvent.LOST, rank.rank(), why.code(), why.text());
    }

    private void leave(HomedRank rank, RankState next) {
        checkpoints.drop(rank);
        rank.disconnect(next);
        deliveries.left(rank);
    }

    /** It says goodbye. It is answered at once, or, in a logged job, when all that it has sent is {@link #safer safe}. */
    void beginFinalize(HomedRank rank, FrameView view) throws WireException {
        if (rank.state() == RankState.REPLAYING) {
            throw new WireException(CloseReason.NOT_EXPECTED, "FINALIZE from " + rank + " before it was live");
        }
        RankFrames.logPolls(rank, view.finalizeFailedPolls());
        if (rank.job().logged()) {
            rank.beginFinalize();
        }
        if (!rank.job().logged() || rank.mayFinalize()) {
            endFinalize(rank);
        }
    }

    /** More of what the rank has sent is safe. */
    void safer(HomedRank rank) {
        if (rank.port() == null) {
            return;
        }
        if (rank.mayFinalize()) {
            rank.job().guarded(() -> endFinalize(rank));
        } else if (rank.safety().isDue()) {
            rank.safety().tell(rank.port());
        }
    }

    private void endFinalize(HomedRank rank) {
        RankPort port = rank.port();
        rank.job().journal().finalized(rank.job().id(), rank.rank(), rank.incarnation());
        leave(rank, RankState.FINALIZED);
        port.finalized();
        mismatches.finalized(rank);
        deliveries.finalized(rank);
        rank.job().report(JobEvent.FINALIZED, rank.rank(), 0, "");
    }

    /** No process of it follows. Of one that has not called Finalize, as far as the log of a host that lost its power has it, nothing is given up. */
    static void done(HomedRank rank) {
        if (rank.state() == RankState.FINALIZED) {
            rank.job().journal().done(rank.job().id(), rank.rank(), rank.incarnation());
        }
    }

    /** Its job has ended: if it is there it is told, and everything kept for it is forgotten. */
    void end(HomedRank rank, CloseNotice why) {
        checkpoints.drop(rank);
        RankPort port = rank.port();
        if (port != null) {
            rank.disconnect(RankState.LOST);
            rank.job().report(JobEvent.LOST, rank.rank(), why.code(), "the job was closed");
            port.aborted(why);
        }
        deliveries.forget(rank);
        rank.release();
    }
}
