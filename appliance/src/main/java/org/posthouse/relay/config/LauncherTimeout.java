package org.posthouse.relay.config;

import java.util.concurrent.TimeUnit;
import org.posthouse.wire.JobOpen;

/**
 * Times for which a logged job continues without its launcher, which may come back. A job may set its own time.
 *
 * @param recoveredMs milliseconds after the relay has recovered the job from its log
 * @param orphanedMs milliseconds after the launcher's connection has ended while the relay runs
 * @param keepSecondsMax the longest time, in seconds, that a job may set
 * @param ranksComeMs milliseconds that a job without launcher waits for the first of its ranks. Log space of ranks that
 *     have not connected stays reserved for the same time.
 */
public record LauncherTimeout(long recoveredMs, long orphanedMs, int keepSecondsMax, long ranksComeMs) {
    /** A week, so that somebody looks before it is over, even after a weekend. */
    public static final int KEEP_SECONDS_MAX_DEFAULT = 7 * 86_400;

    /** Enough for a JVM to start on a host with a hundred times too much load. */
    private static final long RANKS_COME_MS = 300_000;

    /** A launcher redials for a minute by default. The restart of a relay may be faster than its operator expects. */
    public static final LauncherTimeout DEFAULT = ofSeconds(60);

    public LauncherTimeout {
        if (recoveredMs < 0 || orphanedMs < 0 || keepSecondsMax < 0 || ranksComeMs < 0) {
            throw new IllegalArgumentException("recoveredMs " + recoveredMs + ", orphanedMs " + orphanedMs + ", keepSecondsMax " + keepSecondsMax
                    + " and ranksComeMs " + ranksComeMs + ", expected 0 or more");
        }
    }

    /** With the default limit of what jobs may set. */
    public LauncherTimeout(long recoveredMs, long orphanedMs) {
        this(recoveredMs, orphanedMs, KEEP_SECONDS_MAX_DEFAULT, RANKS_COME_MS);
    }

    /** With another limit of what jobs may set, in seconds. */
    public LauncherTimeout keepMax(int seconds) {
        return new LauncherTimeout(recoveredMs, orphanedMs, seconds, ranksComeMs);
    }

    /** This time for a recovered job, and half of it for a job whose launcher has disconnected. */
    public static LauncherTimeout ofSeconds(int seconds) {
        return new LauncherTimeout(TimeUnit.SECONDS.toMillis(seconds), TimeUnit.SECONDS.toMillis(seconds) / 2);
    }

    /** Milliseconds for this job after its recovery from the log. */
    public long recoveredMs(JobOpen job) {
        return ownMs(job, recoveredMs);
    }

    /** Milliseconds for this job after its launcher's connection has ended. */
    public long orphanedMs(JobOpen job) {
        return ownMs(job, orphanedMs);
    }

    /** A job may have set more than the limit, if the relay allowed it before a restart. */
    private long ownMs(JobOpen job, long otherwiseMs) {
        return job.keepSeconds() == 0 ? otherwiseMs : TimeUnit.SECONDS.toMillis(Math.min(job.keepSeconds(), keepSecondsMax));
    }
}
