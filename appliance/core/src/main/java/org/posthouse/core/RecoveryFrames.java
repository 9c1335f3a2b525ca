package org.posthouse.core;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.WireException;

/**
 * Handles ranks and relays that reconnect: the steps and the end of a replay, and the frames to a restarted peer. Part
 * of {@link RelayCore}.
 */
final class RecoveryFrames {
    private static final int NANOS_PER_MICRO = 1_000;

    private final Deliveries deliveries;

    RecoveryFrames(Deliveries deliveries) {
        this.deliveries = deliveries;
    }

    /** The next steps of the rank's history. */
    void past(HomedRank rank, List<HistoryStep> steps) {
        rank.replay().past(steps);
        askForMissing(rank);
    }

    /** A rank that is replayed reads again. */
    void goOn(HomedRank rank) {
        rank.replay().goOn();
        askForMissing(rank);
    }

    /** Requests the messages that the log misses of the rank's history; their senders have them. */
    private void askForMissing(HomedRank rank) {
        if (rank.replay() != null && rank.takesPieces()) {
            askForPieces(rank);
        }
    }

    /** The rank has replayed all of its history, and is live from here on. */
    void live(HomedRank rank) throws WireException {
        Replay replay = rank.replay();
        if (replay == null) {
            throw new WireException(CloseReason.NOT_EXPECTED, "LIVE from " + rank + ", which is " + rank.state());
        }
        replay.requireEnded();
        rank.endReplay();
        askForPieces(rank);
        RankReconnection.askAgain(rank);
        long us = (deliveries.times().now() - replay.startNanos()) / NANOS_PER_MICRO;
        rank.job().report(new JobEvent(rank.job().id(), JobEvent.CAUGHT_UP, rank.rank(), 0, replay.deliveries(), us, ""));
    }

    /**
     * Clears more of each message that the rank has in part, because its whole window may have come while the rank was
     * away.
     */
    private void askForPieces(HomedRank rank) {
        List.copyOf(rank.incoming().arriving()).stream()
                .filter(message -> message.receive() != null)
                .forEach(message -> deliveries.progress(rank, message));
    }

    /**
     * The peer's relay has restarted: its logged jobs continue, and the others end. A job of which no rank has
     * connected here does not end, because its launcher may be about to open it there.
     */
    void peerRestarted(Peer peer, ForwardCounts forwardCounts, Collection<Job> jobs, List<Frame> unacknowledged) {
        List<PeerRestart> goOn = new ArrayList<>();
        for (Job job : jobs) {
            if (!job.peers().contains(peer)) {
                continue;
            }
            if (job.isInLog()) {
                PeerRestart restart = new PeerRestart(job, forwardCounts.of(peer, job.survivesHost()));
                restart.forgive();
                deliveries.grants().forgiveHeld(job, peer);
                restart.returnCredit(unacknowledged);
                goOn.add(restart);
            } else if (job.homedRanks().stream().anyMatch(rank -> rank.incarnation() > 0)) {
                job.fail(CloseReason.CANNOT_RESUME, peer + " was restarted");
            }
        }
        forwardCounts.forgetUnhandled(peer);
        for (Frame frame : unacknowledged) {
            goOn.stream().filter(restart -> restart.isAbout(frame)).forEach(restart -> restart.repeat(frame));
        }
        goOn.forEach(PeerRestart::askAgain);
    }
}
