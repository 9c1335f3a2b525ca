package org.posthouse.launch.supervise;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.RelayLoss;

/**
 * Decides what the loss and the return of the job's relays mean: which are dialled again, and which end the job or
 * leave it. Confined to the job's thread. It has no clock: times are those of {@link System#nanoTime}, passed in.
 */
final class RelaySupervisor {
    /** Milliseconds of dialling a lost relay again; 0: its loss ends the job. */
    private final long timeoutMs;

    private final int[] homeOf;
    private final RankTable ranks;
    private final JobTimers jobTimers;
    private final DeadlockReporter deadlockReporter;
    private final JobVerdict verdict;
    private final JobNotices notices;
    private final IntConsumer redial;
    private final RelayLosses losses = new RelayLosses();

    /** Relays that have not confirmed to this launcher yet that they have the job. */
    private final Set<Integer> unconfirmed = new HashSet<>();

    /** Relays that no longer had the job because it was over. */
    private final Set<Integer> unknownAt = new HashSet<>();

    /** Relays that were reported as not answering. */
    private final Set<Integer> unresponsive = new HashSet<>();

    /** Whether only the notice of the end to the relays remains. */
    private boolean allDone;

    /**
     * @param timeoutMs how long a lost relay is dialled again; 0: its loss ends the job
     * @param homeOf for each rank, the index of its relay
     * @param redial dials a lost relay again, which ends with a signal
     */
    RelaySupervisor(
            long timeoutMs,
            int[] homeOf,
            RankTable ranks,
            JobTimers jobTimers,
            DeadlockReporter deadlockReporter,
            JobVerdict verdict,
            JobNotices notices,
            IntConsumer redial) {
        this.timeoutMs = timeoutMs;
        this.homeOf = homeOf.clone();
        this.ranks = ranks;
        this.jobTimers = jobTimers;
        this.deadlockReporter = deadlockReporter;
        this.verdict = verdict;
        this.notices = notices;
        this.redial = redial;
    }

    /**
     * Dials every relay of a job that other launchers have left.
     *
     * @param isDone whether all ranks have finished, or the job's end is decided
     */
    void resume(boolean isDone, long nowNs) {
        allDone = isDone;
        for (int relay : IntStream.of(homeOf).distinct().toArray()) {
            unconfirmed.add(relay);
            jobTimers.relayLost(relay, nowNs);
            redial.accept(relay);
        }
    }

    /** Whether every relay has confirmed to this launcher that it has the job, or has ended it. */
    boolean haveAllConfirmed() {
        return unconfirmed.isEmpty();
    }

    void onLost(JobSignal.RelayLost lost, long nowNs) {
        if (unknownAt.contains(lost.relay())) {
            return;
        }
        if (lost.isFinal() || timeoutMs == 0) {
            verdict.leaveOrFail(1, lost.why());
        } else if (!verdict.isClosing()) {
            jobTimers.relayLost(lost.relay(), nowNs);
            losses.lost(lost.relay());
            ranksAt(lost.relay()).forEach(ranks::cutOff);
            ranksAt(lost.relay()).forEach(deadlockReporter::goesOn);
            notices.print(lost.why() + ": dialled again for " + TimeUnit.MILLISECONDS.toSeconds(timeoutMs) + " s");
            redial.accept(lost.relay());
        }
    }

    /** Only the relay's log has what its ranks received: without it no launcher can continue the job. */
    void onJobLost(JobSignal.JobLost lost, long nowNs) {
        if (verdict.mayBeLeft() && !unknownAt.contains(lost.relay())) {
            String whose = ranksAt(lost.relay()).mapToObj(Integer::toString).collect(Collectors.joining(", "));
            verdict.leaveLost(lost.why() + ": what its log had is missing, all that rank" + (whose.contains(",") ? "s " : " ") + whose
                    + " had received and saved; only its data folder of then, or a copy of that, brings it back");
        } else {
            onLost(new JobSignal.RelayLost(lost.relay(), lost.why(), true), nowNs);
        }
    }

    /**
     * Frames under way to a stopped relay are lost only if it ends. A job without a log therefore waits for it without
     * a limit.
     */
    void onUnresponsive(JobSignal.Unresponsive still) {
        long patience = TimeUnit.MILLISECONDS.toSeconds(timeoutMs);
        String what = still.who() + " has not answered for " + still.seconds() + " s, though its connection stands: its process is stopped (kill -CONT), or"
                + " its host is too busy";
        if (patience > 0 && still.seconds() >= patience) {
            verdict.leaveOrFail(1, what + "; " + patience + " s are its --relay-timeout");
        } else if (!verdict.isClosing() && unresponsive.add(still.relay())) {
            String then = verdict.mayBeLeft() ? " and the job is left after " : " and the job ends after ";
            notices.print(what + "; its ranks wait" + (patience > 0 ? "," + then + patience + " s (--relay-timeout)" : ""));
        }
    }

    void onResponsive(JobSignal.Responsive again) {
        if (unresponsive.remove(again.relay())) {
            notices.print(again.who() + " answers again after " + again.seconds() + " s");
        }
    }

    void onBack(JobSignal.RelayBack back, long nowNs) {
        if (unknownAt.contains(back.relay())) {
            return; // It was started on its log after all, and is told of the end as all.
        }
        long downNs = jobTimers.relayBack(back.relay(), nowNs);
        if (unconfirmed.remove(back.relay())) {
            notices.print("relay " + back.id() + " has the job");
            return;
        }
        Set<Integer> missing = ranksAt(back.relay()).filter(ranks::isMissing).boxed().collect(Collectors.toSet());
        losses.back(back.relay(), back.id(), downNs, nowNs, missing);
        notices.print(String.format(Locale.ROOT, "relay %s is back after %.2f s", back.id(), downNs / 1e9));
    }

    /** An earlier launcher may have ended the job there and died before it wrote that down. */
    void onJobUnknown(JobSignal.JobUnknown unknown, long nowNs) {
        if (unconfirmed.contains(unknown.relay()) && allDone) {
            unconfirmed.remove(unknown.relay());
            unknownAt.add(unknown.relay());
            jobTimers.relayBack(unknown.relay(), nowNs);
        } else {
            notices.print(unknown.why() + "; the relay is asked again: if it was started with another --data than before, start it with that");
        }
    }

    /** The relay reports that the rank continues, or has ended. */
    void rankSettled(int rank, long atNs) {
        String news = losses.settled(rank, atNs);
        if (news != null) {
            notices.print(news);
        }
    }

    private IntStream ranksAt(int relay) {
        return IntStream.range(0, homeOf.length).filter(rank -> homeOf[rank] == relay);
    }

    /** The relays that were lost and found again until now. */
    List<RelayLoss> lossesSoFar() {
        return losses.soFar();
    }

    /** The relays that were lost and found again. The job is over. */
    List<RelayLoss> allLosses() {
        return losses.all();
    }
}
