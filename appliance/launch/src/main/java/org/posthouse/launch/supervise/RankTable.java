package org.posthouse.launch.supervise;

import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.posthouse.launch.job.ExitStatus;

/**
 * The launcher's state of each rank. A rank's end is reported twice, in either order: by the process's exit, and by the
 * home relay, which saw the connection end. Confined to the job's thread.
 */
final class RankTable {
    /** Milliseconds for a relay to notice that a rank's process has ended, or the other way round. */
    static final long SETTLE_MS = 5_000;

    /**
     * Milliseconds for a relay to report that a rank reconnected and said goodbye. Applies when the process has ended
     * well and the last report is that the rank is away. That report is either old or due to the process's end.
     */
    static final long AWAY_SETTLE_MS = 1_000;

    /**
     * The same if the rank was not reported away, but its relay was lost. That relay is to report all ranks when it is
     * back, and may be slow.
     */
    static final long CUT_OFF_SETTLE_MS = 30_000;

    private static final int KILLED = 137;

    private final boolean restartable;

    /** Whether the dead are replaced by processes of which the relays know nothing. */
    private final boolean rebuilds;

    private final IntFunction<String> where;
    /** Of the last process that has ended. */
    private final int[] status;
    private final boolean[] ended;
    private final RankConnectionState[] links;
    /** Whether its relay was lost, and has not reported the rank's state since. */
    private final boolean[] cutOff;

    private final String[] lostWhy;
    private final String[] limits;
    private final String[] unkept;
    /** Of the present process, or the last one; null if it printed none. */
    private final String[] lastWords;
    private final boolean[] connected;
    /** Whether the present process, or the last one, is a restarted one of which its relay has reported nothing. */
    private final boolean[] unheard;

    /** Whether the present process was killed because its relay has given it up: its exit is awaited without a limit. */
    private final boolean[] struck;

    private int exited;
    private int connectedCount;

    /**
     * @param restartable whether the ranks may be started again
     * @param rebuilds whether the program is told when one dies, and another process takes its place
     * @param where where a rank's process runs, as the end of a sentence
     */
    RankTable(int ranks, boolean restartable, boolean rebuilds, IntFunction<String> where) {
        this.restartable = restartable;
        this.rebuilds = rebuilds;
        this.where = where;
        this.status = new int[ranks];
        this.ended = new boolean[ranks];
        this.links = new RankConnectionState[ranks];
        this.cutOff = new boolean[ranks];
        this.lostWhy = new String[ranks];
        this.limits = new String[ranks];
        this.unkept = new String[ranks];
        this.lastWords = new String[ranks];
        this.connected = new boolean[ranks];
        this.unheard = new boolean[ranks];
        this.struck = new boolean[ranks];
        Arrays.fill(links, RankConnectionState.NONE);
    }

    void exited(int rank, int exitStatus) {
        status[rank] = exitStatus;
        ended[rank] = true;
        exited++;
    }

    /** A new process of the rank runs; the relay is about to learn of it. */
    void restarted(int rank) {
        ended[rank] = false;
        lastWords[rank] = null;
        unheard[rank] = true;
        struck[rank] = false;
        exited--;
        links[rank] = rebuilds || links[rank] == RankConnectionState.NONE ? RankConnectionState.NONE : RankConnectionState.AWAY;
    }

    /** A process of the rank that has followed leads, and is about to catch up. The one before it has ended, or is fenced. */
    void promoted(int rank) {
        continues(rank);
        told(rank, RankConnectionState.REPLAYING);
    }

    /** Another process of the rank runs, and takes the place of the one before it. */
    void continues(int rank) {
        if (ended[rank]) {
            ended[rank] = false;
            exited--;
        }
        lastWords[rank] = null;
    }

    /** Another process of the rank has ended well for the last one, which has ended by accident. */
    void endedWell(int rank) {
        status[rank] = 0;
    }

    /** The same of a process that has ended meanwhile, as one that was killed. */
    void promotedEnded(int rank) {
        if (!ended[rank]) {
            exited(rank, KILLED);
        }
        told(rank, RankConnectionState.AWAY);
    }

    /** The relay has reported the rank's connection state. */
    void told(int rank, RankConnectionState link) {
        links[rank] = link;
        cutOff[rank] = false;
        unheard[rank] &= link == RankConnectionState.AWAY;
        if (!connected[rank] && (link == RankConnectionState.CONNECTED || link == RankConnectionState.REPLAYING)) {
            connected[rank] = true;
            connectedCount++;
        }
    }

    /** Whether every rank's program has called Init at least once. */
    boolean haveAllConnected() {
        return connectedCount == connected.length;
    }

    /** Its relay is lost, and with it the rank's connection. */
    void cutOff(int rank) {
        if (links[rank] == RankConnectionState.CONNECTED || links[rank] == RankConnectionState.REPLAYING) {
            links[rank] = RankConnectionState.AWAY;
            cutOff[rank] = true;
        }
    }

    /** Whether its relay is to tell yet that the rank, or its next process, is where it was. */
    boolean isMissing(int rank) {
        return links[rank] == RankConnectionState.AWAY || links[rank] == RankConnectionState.REPLAYING;
    }

    void lost(int rank, String why) {
        links[rank] = RankConnectionState.LOST;
        lostWhy[rank] = why;
    }

    /** The rank did what cannot be replayed; the first reason counts. @return whether that is news */
    boolean limited(int rank, String why) {
        boolean isNew = limits[rank] == null;
        limits[rank] = isNew ? why : limits[rank];
        return isNew;
    }

    /** A checkpoint covers all operations of the rank that cannot be replayed. */
    void checkpointed(int rank) {
        limits[rank] = null;
    }

    /** The rank's output is not kept any more, so a new process would show it again. */
    void unkept(int rank, String why) {
        unkept[rank] = why;
    }

    /** Whether nothing else is in the way of another process. */
    boolean isOnlyUnkept(int rank) {
        return unkept[rank] != null && limits[rank] == null;
    }

    /** The message that the library printed before it ended the rank's process. */
    void lastWords(int rank, String words) {
        lastWords[rank] = words;
    }

    /** Why the rank cannot be started again; null if it can. */
    String limit(int rank) {
        return unkept[rank] != null ? unkept[rank] : limits[rank];
    }

    /** Whether the rank's last process ended by itself, one that was started again, before its relay had heard of it. */
    boolean couldNotStart(int rank) {
        return unheard[rank] && status[rank] != 0 && !ExitStatus.isAccident(status[rank]);
    }

    /** The end of the rank's last process, in words for people. */
    String howEnded(int rank) {
        return ExitStatus.words(status[rank]) + (couldNotStart(rank) ? " before its relay heard of it" : "");
    }

    /** The end of the rank's last process, and where it ran, for people. */
    String endNotice(int rank) {
        return "rank " + rank + " " + howEnded(rank) + where.apply(rank);
    }

    /** The same with the last message of the library. */
    String deathNotice(int rank) {
        return endNotice(rank) + (lastWords[rank] == null ? "" : ": " + lastWords[rank]);
    }

    boolean allExited() {
        return exited == status.length;
    }

    boolean hasExited(int rank) {
        return ended[rank];
    }

    /** Whose present process has ended with a status other than 0, in order. */
    IntStream failed() {
        return IntStream.range(0, ended.length).filter(rank -> ended[rank] && status[rank] != 0);
    }

    /** The exit status of the rank's last process that has ended. */
    int status(int rank) {
        return status[rank];
    }

    /** Number of ranks that have called Finalize, as far as their relays have reported. */
    int finalized() {
        return (int) Arrays.stream(links).filter(link -> link == RankConnectionState.FINALIZED).count();
    }

    /** Whether its relay has last reported that it has called Finalize. */
    boolean isFinalized(int rank) {
        return links[rank] == RankConnectionState.FINALIZED;
    }

    boolean haveAllFinalized() {
        return Arrays.stream(links).allMatch(link -> link == RankConnectionState.FINALIZED);
    }

    /** Whose present process has not ended, as far as is known. */
    IntStream running() {
        return IntStream.range(0, ended.length).filter(rank -> !ended[rank]);
    }

    /** Whether its relay has last reported that it is connected, and where it was. */
    boolean isConnected(int rank) {
        return links[rank] == RankConnectionState.CONNECTED;
    }

    /** Whether its relay has last reported that it is away, or was lost then. */
    boolean isAway(int rank) {
        return links[rank] == RankConnectionState.AWAY;
    }

    String lostWhy(int rank) {
        return lostWhy[rank];
    }

    /** Meaning of the end of the rank's process; WAIT while it runs. */
    ExitClassifier verdict(int rank) {
        if (!hasExited(rank) || neverConnected(rank)) {
            return ExitClassifier.WAIT;
        }
        return rebuilds
                ? ExitClassifier.ofReplaced(status[rank], links[rank])
                : ExitClassifier.of(status[rank], links[rank], restartable, limit(rank) != null, unheard[rank]);
    }

    /** The rank's process is killed, as its relay has given it up. */
    void struck(int rank) {
        struck[rank] = true;
    }

    /** Whether all reports of the rank's end have arrived, or nothing is left to do about the one that is missing. */
    private boolean isSettled(int rank) {
        return hasExited(rank) ? verdict(rank) != ExitClassifier.WAIT : links[rank] != RankConnectionState.LOST || struck[rank];
    }

    /** Whether the rank ended well and, as far as is known, never called Init, which others did. */
    boolean neverConnected(int rank) {
        return ended[rank] && status[rank] == 0 && links[rank] == RankConnectionState.NONE && connectedCount > 0;
    }

    /** Whether the rank runs and has no connection, as far as is known. The job's end cannot be sent to it then. */
    boolean isAwaited(int rank) {
        return !ended[rank] && (links[rank] == RankConnectionState.NONE || links[rank] == RankConnectionState.AWAY);
    }

    /** A rank whose end only one of the two has reported, though both could, or -1. */
    int firstUnsettled(IntPredicate hasRelay) {
        for (int rank = 0; rank < status.length; rank++) {
            if (hasRelay.test(rank) && !isSettled(rank)) {
                return rank;
            }
        }
        return -1;
    }

    /** Milliseconds for the other party to report the rank's end. */
    long settleMs(int rank) {
        if (!hasExited(rank) || links[rank] != RankConnectionState.AWAY) {
            return SETTLE_MS;
        }
        return cutOff[rank] ? CUT_OFF_SETTLE_MS : AWAY_SETTLE_MS;
    }
}
