package org.posthouse.launch.agent;

import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What an agent that has joined a job knows of it, and when the agent ends. Confined to the agent's thread. Times are
 * those of a monotonic clock in nanoseconds.
 *
 * <p>The agent ends with the job. It also ends if the job does not come for its slots in time, or if its launcher is gone
 * before the job has begun here, so that an allocation is not held for nobody. While its relay is away the launcher does
 * not count as gone.
 */
final class JobMembership {
    /** Longest wait for a launcher that is gone, in nanoseconds. */
    static final long LAUNCHER_NS_MAX = TimeUnit.SECONDS.toNanos(60);

    /** Status of an agent whose job has not come, or is gone. */
    static final int STATUS_NO_JOB = 1;

    private enum State {
        /** Nothing was heard of the job. */
        UNKNOWN,
        /** The launcher waits for other parts, or has the agent as a spare one. */
        WAITING,
        /** The launcher was there and is gone. */
        LEFT,
        /** Slots of the agent are the job's. */
        RUNNING,
        ENDED
    }

    /**
     * The end of the agent.
     *
     * @param status of its process
     * @param line for people
     */
    record End(int status, String line) {}

    private final String job;
    private final long waitNs;
    private State state = State.UNKNOWN;

    /** Since when it is UNKNOWN or LEFT. */
    private long sinceNs;

    /** The launcher's connection in the state WAITING. */
    private long launcher;

    /** Whether the relay, and so every launcher, is away. */
    private boolean isCut;

    private String standing = "";

    /**
     * @param job its name
     * @param waitNs how long the job may take to come
     */
    JobMembership(String job, long waitNs, long nowNs) {
        this.job = job;
        this.waitNs = waitNs;
        this.sinceNs = nowNs;
    }

    /**
     * The launcher says that the job waits for other parts. Another launcher of the same name is not heard before the
     * first one is gone.
     *
     * @param number of the launcher's connection
     * @param text which parts are there
     * @return a line for people, if there is news
     */
    Optional<String> waits(String name, long number, String text) {
        if (!name.equals(job) || state == State.RUNNING || state == State.ENDED || isOfAnother(number)) {
            return Optional.empty();
        }
        state = State.WAITING;
        launcher = number;
        boolean isNews = !text.equals(standing);
        standing = text;
        return isNews ? Optional.of("job " + job + ": " + text) : Optional.empty();
    }

    private boolean isOfAnother(long number) {
        return state == State.WAITING && number != launcher;
    }

    /** Slots are the job's from now on. */
    void confirmed() {
        if (state != State.ENDED) {
            state = State.RUNNING;
        }
    }

    /**
     * The job's launcher has given the slots back, and the job is not over.
     *
     * @param number of the launcher's connection
     */
    void released(long number) {
        if (state != State.ENDED) {
            state = State.WAITING;
            launcher = number;
        }
    }

    /** A launcher's connection has ended. */
    void launcherGone(long number, long nowNs) {
        if (state == State.WAITING && number == launcher) {
            leave(nowNs);
        }
    }

    /** The connection to the relay, and so to every launcher, has ended. */
    void relayLost(long nowNs) {
        isCut = true;
        if (state == State.WAITING) {
            leave(nowNs);
        }
    }

    /** The relay has let the agent in again: the launcher has its time from now on. */
    void relayBack(long nowNs) {
        if (isCut && state == State.LEFT) {
            sinceNs = nowNs;
        }
        isCut = false;
    }

    private void leave(long nowNs) {
        state = State.LEFT;
        sinceNs = nowNs;
    }

    /** The job's processes here were killed, because it has had no launcher for too long. */
    Optional<End> abandoned() {
        return state == State.RUNNING ? end(STATUS_NO_JOB, "job " + job + " has no launcher any more") : Optional.empty();
    }

    /**
     * The launcher says that the job is over.
     *
     * @param number of the launcher's connection
     */
    Optional<End> ended(String name, long number, int status, String why) {
        if (!name.equals(job) || isOfAnother(number)) {
            return Optional.empty();
        }
        return end(status, "job " + job + " has ended" + (status == 0 ? "" : " with status " + status) + (why.isEmpty() ? "" : ": " + why));
    }

    /** Looks at the time. */
    Optional<End> tick(long nowNs) {
        long awayNs = nowNs - sinceNs;
        long launcherNs = isCut ? waitNs : Math.min(waitNs, LAUNCHER_NS_MAX); // The launcher may be there, behind the cut.
        if (state == State.UNKNOWN && awayNs >= waitNs) {
            return end(
                    STATUS_NO_JOB,
                    "job " + job + " has not come for these slots within " + seconds(waitNs) + " s (--wait): is it started (posthouse run --job " + job
                            + "), over this relay or one that knows it?");
        }
        if (state == State.LEFT && awayNs >= launcherNs) {
            return end(STATUS_NO_JOB, "job " + job + " is not known to run here, and has had no launcher for " + seconds(launcherNs) + " s");
        }
        return Optional.empty();
    }

    private static long seconds(long ns) {
        return TimeUnit.NANOSECONDS.toSeconds(ns);
    }

    private Optional<End> end(int status, String line) {
        if (state == State.ENDED) {
            return Optional.empty();
        }
        state = State.ENDED;
        return Optional.of(new End(status, line));
    }
}
