package org.posthouse.launch.supervise;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The processes that follow one rank, and when the next one is to be started. Confined to the job's thread. It has no clock:
 * times are those of {@link System#nanoTime}, passed in.
 *
 * <p>Each further start waits longer than the one before, as in {@link Restarts}. After {@link #FAILURES_MAX} followers that ended
 * within {@link #SOUND_MS}, or would have sent something else than their leader, the rank has one process less.
 */
final class FollowerProcesses {
    /** A follower that lived as long did not fail for the reason that the one before it failed for. */
    static final long SOUND_MS = 60_000;

    /** No process has this number. */
    static final int NOBODY = 0;

    /** Followers that fail in a row until no other is started. */
    static final int FAILURES_MAX = 4;

    private static final long[] BACK_OFF_MS = {0, 250, 1_000, 4_000};

    /** A process that follows and has not ended. */
    private static final class Follower {
        private final long startedNs;
        private boolean isConnected;

        /** Whether its relay has lost or dropped it, and it has not come again; then since when. */
        private boolean isLost;

        private long lostNs;

        /** For how long it may be lost; {@link JobTimers#FOR_EVER} without a limit. */
        private long lostForNs;

        /** Whether its relay takes it no more. */
        private boolean isDropped;

        private boolean hasDiverged;
        private String why = "";

        private Follower(long startedNs) {
            this.startedNs = startedNs;
        }
    }

    /** By their numbers. */
    private final SortedMap<Integer, Follower> living = new TreeMap<>();

    /** Processes that led until a follower was promoted, and may not have ended. */
    private final Set<Integer> deposed = new HashSet<>();

    /** How many there are to be. */
    private int wanted;

    private boolean hasFinished;

    /** How many have failed in a row. */
    private int failures;

    /** When the next one may be started; good only behind a failure. */
    private long dueNs;

    FollowerProcesses(int wanted) {
        this.wanted = wanted;
    }

    /** Whether another one is to be started, some time. */
    boolean isDue() {
        return living.size() < wanted;
    }

    /** Nanoseconds until another may be started; good only if {@link #isDue}. */
    long quietNs(long nowNs) {
        return failures == 0 ? 0 : Math.max(0, dueNs - nowNs);
    }

    void started(int process, long nowNs) {
        living.put(process, new Follower(nowNs));
    }

    /** The relay has a connection of it. */
    void connected(int process) {
        Follower follower = living.get(process);
        if (follower != null) {
            follower.isConnected = true;
            follower.isLost = false;
            follower.isDropped = false;
            follower.why = "";
        }
    }

    /**
     * The relay has no connection of it, for this reason.
     *
     * @param isDropped whether the relay takes it no more
     * @param hasDiverged whether it would have sent something else than its leader
     * @param forNs nanoseconds for it to come again or to end; {@link JobTimers#FOR_EVER} without a limit
     */
    void lost(int process, boolean isDropped, boolean hasDiverged, String why, long nowNs, long forNs) {
        Follower follower = living.get(process);
        if (follower != null) {
            follower.isConnected = false;
            follower.isLost = true;
            follower.lostNs = nowNs;
            follower.lostForNs = forNs;
            follower.isDropped = isDropped;
            follower.hasDiverged |= hasDiverged;
            follower.why = why;
        }
    }

    /** Their relay was away, so that none could come again. */
    void relayBack(long nowNs) {
        living.values().forEach(follower -> follower.lostNs = nowNs);
    }

    /** Nanoseconds until some process has been lost for too long; {@link JobTimers#FOR_EVER} if none will be. */
    long quietLostNs(long nowNs) {
        long quietNs = JobTimers.FOR_EVER;
        for (Follower follower : living.values()) {
            if (follower.isLost && follower.lostForNs != JobTimers.FOR_EVER) {
                quietNs = Math.min(quietNs, Math.max(0, follower.lostNs + follower.lostForNs - nowNs));
            }
        }
        return quietNs;
    }

    /** The processes that have been lost for too long, and have neither come again nor ended. Each is told once. */
    List<Integer> takeLost(long nowNs) {
        List<Integer> taken = new ArrayList<>();
        living.forEach((process, follower) -> {
            if (follower.isLost && follower.lostForNs != JobTimers.FOR_EVER && follower.lostNs + follower.lostForNs - nowNs <= 0) {
                follower.isLost = false;
                follower.isDropped = true;
                taken.add(process);
            }
        });
        return taken;
    }

    /** Why the relay has no connection of it; empty if it has one, or has never had. */
    String why(int process) {
        return living.containsKey(process) ? living.get(process).why : "";
    }

    /** Whether any is there that its relay can promote. */
    boolean canLead() {
        return oldestConnected() != NOBODY;
    }

    /** The first that is connected, or was until it had finalized; {@link #NOBODY} if there is none. */
    int oldestConnected() {
        return living.entrySet().stream().filter(each -> each.getValue().isConnected).mapToInt(Map.Entry::getKey).findFirst().orElse(NOBODY);
    }

    /** Whether any is there, or may come; also one between two connections. */
    boolean mayLead() {
        return wanted > 0 || living.values().stream().anyMatch(follower -> !follower.isDropped);
    }

    boolean isLiving(int process) {
        return living.containsKey(process);
    }

    /** Whether there are others than this one. */
    boolean hasOthers(int process) {
        return living.keySet().stream().anyMatch(other -> other != process);
    }

    Iterable<Integer> processes() {
        return living.keySet();
    }

    /** It leads. */
    void promoted(int process) {
        living.remove(process);
    }

    /** It led until now. */
    void deposed(int process) {
        deposed.add(process);
    }

    /** A process has ended. @return whether it led until a follower was promoted */
    boolean hasLed(int process) {
        return deposed.remove(process);
    }

    /** It has ended as it should, and its leader has printed as much as it has, unless its relay or the launcher had dropped it. */
    void finished(int process) {
        Follower follower = living.remove(process);
        if (follower != null) {
            wanted--;
            hasFinished |= !follower.isDropped;
        }
    }

    /** Whether a process has ended as it should, and all that it has printed was shown. */
    boolean hasFinished() {
        return hasFinished;
    }

    /**
     * It has ended, or could not be started.
     *
     * @return whether the rank is to have one follower less from now on
     */
    boolean ended(int process, long endedNs) {
        Follower follower = living.remove(process);
        boolean isSound = follower != null && !follower.hasDiverged && endedNs - follower.startedNs >= TimeUnit.MILLISECONDS.toNanos(SOUND_MS);
        failures = isSound ? 0 : failures + 1;
        dueNs = endedNs + TimeUnit.MILLISECONDS.toNanos(BACK_OFF_MS[Math.clamp(failures - 1L, 0, BACK_OFF_MS.length - 1)]);
        if (failures < FAILURES_MAX) {
            return false;
        }
        failures = 0;
        wanted = Math.max(0, wanted - 1);
        return true;
    }

    /** No other is started. */
    void stop() {
        wanted = 0;
    }

    /** How many processes the rank is to have, the leader included. */
    int degree() {
        return 1 + wanted;
    }

    /** Forgets all, as the rank needs none any more. @return their numbers */
    Iterator<Integer> end() {
        wanted = 0;
        SortedMap<Integer, Follower> all = new TreeMap<>(living);
        living.clear();
        return all.keySet().iterator();
    }
}
