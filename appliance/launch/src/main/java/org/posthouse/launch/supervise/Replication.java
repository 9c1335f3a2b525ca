package org.posthouse.launch.supervise;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.posthouse.launch.job.ExitStatus;
import org.posthouse.launch.job.FollowerLoss;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.Promotion;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.RankFailed;

/**
 * Keeps the followers of a job's ranks ({@code --replicas}): starts them, starts others in place of those that have ended, and
 * tells relays of ended processes, so that a follower leads where the leader has ended. Confined to the job's thread. It has no
 * clock: times are those of {@link System#nanoTime}, passed in.
 *
 * <p>A process is known by the number with which it was started. One that leads has got a higher one from its relay.
 */
final class Replication {
    /** Milliseconds for a relay to promote a follower. Then the rank is started again from its log. */
    static final long PROMOTION_MS = 60_000;

    /** Milliseconds for a follower that its relay has dropped to end. Then it is killed, and another is started. */
    static final long DROPPED_MS = 10_000;

    /** Most promotions that a job's outcome has, and most lost followers, with some 400 bytes each. Further ones are only printed. */
    private static final int LISTED_MAX = 10_000;

    private static final long DROPPED_NS = TimeUnit.MILLISECONDS.toNanos(DROPPED_MS);

    /** Why a relay takes a follower no more. */
    private static final Set<Integer> DROPPING = Set.of(
            CloseReason.LAGGED.code(), CloseReason.DIVERGED.code(), CloseReason.FENCED.code(), CloseReason.CANNOT_RESUME.code());

    private static final int NOBODY = FollowerProcesses.NOBODY;

    /** The status of SIGKILL. */
    private static final int KILLED = 137;

    private final boolean isInMemory;

    /** Nanoseconds for a follower whose connection broke to come again. It reads only in calls of the library. */
    private final long silenceNs;

    private final long job;
    private final int[] homeOf;
    private final RankTable ranks;
    private final RankStarter starter;
    private final RankHost host;
    private final JobTimers jobTimers;
    private final Consumer<RankFailed> relays;
    private final JobNotices notices;

    /** For each rank; null for one that has never had a follower. */
    private final FollowerProcesses[] followers;

    /** For each rank, the number with which its leader was started. */
    private final int[] leader;

    /** For each rank, the number of its leader now. */
    private final int[] leaderNumber;

    /** For each rank, its leader if that has followed and is not live yet; else {@link #NOBODY}. */
    private final int[] catchingUp;

    /** For each rank, until when its relay may promote a follower; good only if {@link #isAwaited}. */
    private final long[] awaitedNs;

    private final boolean[] isAwaited;

    private final List<Promotion> promotions = new ArrayList<>();
    private final List<FollowerLoss> losses = new ArrayList<>();

    /**
     * @param isInMemory whether relays keep histories only in memory, so that no rank is started again otherwise than as a follower
     * @param silenceSeconds for a follower whose connection broke to come again; 0: for ever
     * @param relays tells the rank's relay that a process has ended
     */
    Replication(
            int[] degrees, boolean isInMemory, int silenceSeconds, long job, int[] homeOf, RankTable ranks, RankStarter starter, RankHost host,
            JobTimers jobTimers, Consumer<RankFailed> relays, JobNotices notices) {
        this.isInMemory = isInMemory;
        this.silenceNs = silenceSeconds == 0 ? JobTimers.FOR_EVER : TimeUnit.SECONDS.toNanos(silenceSeconds);
        this.job = job;
        this.homeOf = homeOf.clone();
        this.ranks = ranks;
        this.starter = starter;
        this.host = host;
        this.jobTimers = jobTimers;
        this.relays = relays;
        this.notices = notices;
        this.followers = new FollowerProcesses[degrees.length];
        this.leader = new int[degrees.length];
        this.leaderNumber = new int[degrees.length];
        this.catchingUp = new int[degrees.length];
        this.awaitedNs = new long[degrees.length];
        this.isAwaited = new boolean[degrees.length];
        for (int rank = 0; rank < degrees.length; rank++) {
            followers[rank] = degrees[rank] > 1 ? new FollowerProcesses(degrees[rank] - 1) : null;
        }
    }

    /** A process of the rank was started that does not follow. */
    void leads(int rank, int process) {
        leader[rank] = process;
        leaderNumber[rank] = process;
        catchingUp[rank] = NOBODY;
    }

    /** The rank's leader is where the one before it was. */
    void isLive(int rank) {
        catchingUp[rank] = NOBODY;
    }

    /** Ends followers that their relays have lost for too long, and starts those that are due. @param nowNs the present time */
    void startDue(long nowNs) {
        for (int rank = 0; rank < followers.length; rank++) {
            if (followers[rank] != null && jobTimers.hasRelay(rank)) {
                int of = rank;
                followers[rank].takeLost(nowNs).forEach(process -> host.endFollower(of, process));
            }
        }
        for (int rank = 0; rank < followers.length; rank++) {
            while (mayStart(rank) && followers[rank].quietNs(nowNs) == 0) {
                start(rank, nowNs);
            }
        }
    }

    private boolean mayStart(int rank) {
        return followers[rank] != null && followers[rank].isDue() && leader[rank] != NOBODY && jobTimers.hasRelay(rank);
    }

    private void start(int rank, long nowNs) {
        int process = starter.nextNumber(rank);
        try {
            if (host.follow(rank, process)) {
                followers[rank].started(process, nowNs);
            } else {
                followers[rank].stop();
            }
        } catch (JobFailure e) {
            ended(rank, process, nowNs, "a follower of " + e.getMessage());
        }
    }

    /** Nanoseconds for which nothing is due. */
    long quietNs(long nowNs) {
        long quietNs = JobTimers.FOR_EVER;
        for (int rank = 0; rank < followers.length; rank++) {
            if (mayStart(rank)) {
                quietNs = Math.min(quietNs, followers[rank].quietNs(nowNs));
            }
            if (isAwaited[rank] && jobTimers.hasRelay(rank)) {
                quietNs = Math.min(quietNs, Math.max(0, awaitedNs[rank] - nowNs));
            }
            if (followers[rank] != null && jobTimers.hasRelay(rank)) {
                quietNs = Math.min(quietNs, followers[rank].quietLostNs(nowNs));
            }
        }
        return quietNs;
    }

    /** Whether any rank waits until one of its followers leads. */
    boolean isAwaiting() {
        for (boolean one : isAwaited) {
            if (one) {
                return true;
            }
        }
        return false;
    }

    // ---- what processes do

    /** Whether this process of the rank leads, or is the only one. */
    boolean isLeader(int rank, int process) {
        return leader[rank] == process;
    }

    /**
     * The exit status of the rank's leader as it counts. One that has followed, and diverges before it is live, has had no effects: another
     * process takes its place.
     */
    int statusOf(JobSignal.Exited exited) {
        boolean hasOnlyFollowed = catchingUp[exited.rank()] == exited.process();
        return hasOnlyFollowed && exited.status() == ExitStatuses.DIVERGED ? ExitStatuses.RESTART : exited.status();
    }

    /** The rank's leader has ended: its relay may not notice, if the host is gone. */
    void leaderEnded(int rank) {
        if (followers[rank] != null) {
            relays.accept(new RankFailed(job, rank, leaderNumber[rank]));
        }
    }

    /** A process has ended that does not lead. @return whether it led until its relay promoted a follower, maybe because it was ending */
    boolean hasLed(int rank, int process) {
        return followers[rank] != null && followers[rank].hasLed(process);
    }

    /** A process has ended that does not lead. */
    void followerEnded(JobSignal.Exited exited) {
        int rank = exited.rank();
        int process = exited.process();
        if (followers[rank] == null || !followers[rank].isLiving(process)) {
            return; // A leader of before, or of a rank that has ended.
        }
        relays.accept(new RankFailed(job, rank, process));
        if (exited.status() == 0) {
            followers[rank].finished(process);
        } else {
            String why = followers[rank].why(process);
            String words = exited.status() == KILLED ? "" : exited.words(); // A process that is killed says nothing about it.
            String cause = ExitStatus.words(exited.status()) + exited.where()
                    + (why.isEmpty() ? "" : " (" + why + ")") + (words.isEmpty() ? "" : ": " + words);
            if (losses.size() < LISTED_MAX) {
                losses.add(new FollowerLoss(rank, process, cause));
            }
            ended(rank, process, exited.endedNs(), "follower " + process + " of rank " + rank + " " + cause);
        }
    }

    private void ended(int rank, int process, long endedNs, String what) {
        int before = followers[rank].degree();
        if (followers[rank].ended(process, endedNs)) {
            notices.print(what + ", as " + (FollowerProcesses.FAILURES_MAX - 1) + " before it that did not live for " + FollowerProcesses.SOUND_MS / 1_000
                    + " s or diverged: no other is started, and rank " + rank + " has " + words(followers[rank].degree()) + " instead of " + before);
        } else if (followers[rank].isDue()) {
            notices.print(what + ": another is started");
        }
    }

    private static String words(int degree) {
        return degree == 1 ? "1 process" : degree + " processes";
    }

    /** The rank has ended well: its followers end, too. */
    void rankEnded(int rank) {
        isAwaited[rank] = false;
        if (followers[rank] != null) {
            followers[rank].end().forEachRemaining(process -> host.endFollower(rank, process));
        }
    }

    /**
     * Whether the rank has called Finalize, and a follower has ended well for its leader, which has ended by accident: all that the rank sends and prints
     * was sent and shown.
     */
    boolean hasFinished(int rank) {
        return followers[rank] != null && followers[rank].hasFinished() && ranks.isFinalized(rank);
    }

    /**
     * Whether the rank, whose leader has ended by accident, waits until one of its followers leads, or for the end of one that leads from here on. If
     * not, it is started again from its log, if it has one; else any follower that may still come counts.
     */
    boolean awaitsLeader(int rank, long nowNs) {
        if (followers[rank] != null && ranks.isFinalized(rank) && leadsToEnd(rank, nowNs)) {
            return true;
        }
        boolean canLead = followers[rank] != null && (isInMemory ? followers[rank].mayLead() : followers[rank].canLead());
        if (canLead && !isAwaited[rank]) {
            awaitedNs[rank] = nowNs + TimeUnit.MILLISECONDS.toNanos(PROMOTION_MS);
        }
        isAwaited[rank] = canLead;
        return canLead;
    }

    /**
     * Lets a follower lead a rank that has called Finalize: it finalizes too, and what its leader has not printed any more is to be shown. The relay has
     * no part in that, as nothing of the rank is to be sent.
     *
     * @return whether one leads, or the job ends as too many have led
     */
    private boolean leadsToEnd(int rank, long nowNs) {
        int process = followers[rank].oldestConnected();
        String news = ranks.endNotice(rank) + " after MPI.Finalize: follower " + process + host.whereFollower(rank, process) + " ends in its place";
        if (process == NOBODY || !host.lead(rank, process)) {
            return false; // The end of one that does not live is about to be told.
        }
        int number = Math.max(process, leaderNumber[rank]);
        if (!starter.promoted(rank, number, followers[rank].degree() - 1, nowNs)) {
            return true;
        }
        notices.print(news);
        followers[rank].promoted(process);
        ranks.continues(rank);
        promoted(new Promotion(rank, process, number, leader[rank], 0, nowNs));
        leader[rank] = process;
        catchingUp[rank] = process;
        isAwaited[rank] = false;
        return true;
    }

    private void promoted(Promotion promotion) {
        if (promotions.size() < LISTED_MAX) {
            promotions.add(promotion);
        }
    }

    /** Why the rank is not started again, as the rest of a sentence; empty if {@link Restarts} says it. */
    String refusal(int rank) {
        return isInMemory && followers[rank] != null
                ? ", and no other process of the rank can go on: without a log (--durability process) there is nothing to start it again from"
                : "";
    }

    /** A rank that no follower leads although its relay had the time, or -1; its followers are given up. */
    int overdue(long nowNs) {
        for (int rank = 0; rank < isAwaited.length; rank++) {
            if (isAwaited[rank] && jobTimers.hasRelay(rank) && awaitedNs[rank] - nowNs <= 0) {
                isAwaited[rank] = false;
                int late = rank;
                notices.print("no follower of rank " + rank + " leads after " + PROMOTION_MS / 1_000 + " s"
                        + (isInMemory ? "" : ": it is started again from its log"));
                if (isInMemory) {
                    followers[rank].stop();
                }
                followers[rank].processes().forEach(process -> {
                    followers[late].lost(process, true, false, "", nowNs, DROPPED_NS);
                    host.endFollower(late, process);
                });
                return rank;
            }
        }
        return JobTimers.NOBODY;
    }

    // ---- what relays report

    /**
     * A process follows the rank. If it leads, its relay's host has lost its promotion and was not told that the processes before it have
     * ended, of which the relay would await the first.
     */
    void follows(int rank, int process) {
        if (followers[rank] != null && process == leader[rank]) {
            relays.accept(new RankFailed(job, rank, 1));
        } else if (followers[rank] != null) {
            followers[rank].connected(process);
        }
    }

    /** A follower is gone, or was dropped. @param reason a code of {@link CloseReason} */
    void followerLost(int rank, int process, long reason, String why, long nowNs) {
        if (followers[rank] == null || !followers[rank].isLiving(process)) {
            return;
        }
        boolean hasDiverged = reason == CloseReason.DIVERGED.code();
        boolean isDropped = DROPPING.contains((int) reason);
        followers[rank].lost(process, isDropped, hasDiverged, why, nowNs, isDropped ? DROPPED_NS : silenceNs);
        String who = "follower " + process + " of rank " + rank + host.whereFollower(rank, process) + " ";
        if (hasDiverged) {
            notices.diverged(who + why);
        } else if (reason == CloseReason.CANNOT_RESUME.code()) {
            followers[rank].stop();
            notices.print(who + "cannot follow: " + why + "; no other is started, and rank " + rank + " goes on with "
                    + (followers[rank].hasOthers(process) ? "those that it has" : "its leader alone"));
        }
    }

    /**
     * A follower leads the rank.
     *
     * @param process the number with which it was started
     * @param number its number now
     * @param behind observations that it has not made yet
     * @param atNs when this was told
     */
    void promoted(int rank, int process, int number, long behind, long atNs) {
        if (process == leader[rank]) {
            leaderNumber[rank] = number; // It was promoted before, and had not read that.
            starter.renumbered(rank, number);
            return;
        }
        boolean isStarted = leaderNumber[rank] == leader[rank]; // Else its relay gave it that number, and has forgotten so if it gives a lower one.
        if (number < leaderNumber[rank] && isStarted) {
            if (followers[rank] != null) {
                followers[rank].lost(process, true, false, "another process of the rank was started meanwhile", atNs, DROPPED_NS);
            }
            return; // A process that was started meanwhile has fenced it.
        }
        if (followers[rank] != null && catchingUp[rank] != leader[rank]) {
            followers[rank].deposed(leader[rank]);
        }
        if (!starter.promoted(rank, number, followers[rank] == null ? 0 : followers[rank].degree() - 1, atNs)) {
            return; // The job ends.
        }
        int before = leader[rank];
        leader[rank] = process;
        leaderNumber[rank] = number;
        catchingUp[rank] = process;
        isAwaited[rank] = false;
        if (followers[rank] == null) {
            return;
        }
        String where = host.whereFollower(rank, process);
        if (!followers[rank].isLiving(process)) {
            endedMeanwhile(rank);
        } else if (!host.lead(rank, process)) {
            leader[rank] = NOBODY; // Its end is about to be told, and is not that of a leader.
            endedMeanwhile(rank);
        } else {
            followers[rank].promoted(process);
            ranks.promoted(rank);
            promoted(new Promotion(rank, process, number, before, behind, atNs));
            notices.print(
                    "rank " + rank + ": follower " + process + where + " leads now, " + behind + (behind == 1 ? " observation" : " observations") + " behind"
                            + (followers[rank].isDue() ? "; another follower is started" : ""));
        }
    }

    /** The process that leads has ended, and what it printed last was not shown: another one is to lead. */
    private void endedMeanwhile(int rank) {
        ranks.promotedEnded(rank);
        leaderEnded(rank);
    }

    /**
     * A relay that is connected again says who leads. It may have promoted a follower meanwhile.
     *
     * @param number of the process that leads; 0 if none does
     * @param process the number with which it was started, if it has followed; else 0
     */
    private void leads(int rank, int number, int process, long atNs) {
        if (number > 0 && process > 0 && leaderNumber[rank] != number) {
            promoted(rank, process, number, 0, atNs);
        }
    }

    /** The relay is connected again: it may not know of processes that have ended. */
    void relayBack(int relay, long nowNs) {
        for (int rank = 0; rank < isAwaited.length; rank++) {
            if (followers[rank] != null && homeOf[rank] == relay) {
                followers[rank].relayBack(nowNs);
            }
            if (isAwaited[rank] && homeOf[rank] == relay) {
                awaitedNs[rank] = nowNs + TimeUnit.MILLISECONDS.toNanos(PROMOTION_MS);
                leaderEnded(rank);
            }
        }
    }

    /** Handles what a relay reports of a rank's processes. */
    void onEvent(int rank, JobEvent event, long atNs) {
        switch (event.kind()) {
            case JobEvent.FOLLOWS -> follows(rank, event.code());
            case JobEvent.FOLLOWER_LOST -> followerLost(rank, event.code(), event.a(), event.text(), atNs);
            case JobEvent.PROMOTED -> promoted(rank, event.code(), (int) event.a(), event.b(), atNs);
            case JobEvent.LEADS -> leads(rank, event.code(), (int) event.a(), atNs);
            default -> throw new IllegalStateException("no event of followers: " + event);
        }
    }

    /** Followers that led from some moment on, the first {@value #LISTED_MAX}. */
    List<Promotion> promotions() {
        return List.copyOf(promotions);
    }

    /** Followers that ended before their ranks, the first {@value #LISTED_MAX}. */
    List<FollowerLoss> losses() {
        return List.copyOf(losses);
    }
}
