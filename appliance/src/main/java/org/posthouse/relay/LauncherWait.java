package org.posthouse.relay;

import java.util.concurrent.TimeUnit;
import org.posthouse.wire.JobOpen;

/**
 * How long a logged job goes on without its launcher, which may come back to it, unless the job says so itself.
 *
 * @param recoveredMs after the relay has read it from its log
 * @param orphanedMs after the launcher's connection has ended while the relay lives
 * @param keepSecondsMax the longest time that a job may ask for itself
 * @param ranksComeMs how long a job without its launcher waits for the first of its ranks, and how long room in the log is reserved for ranks that have not come
 */
public record LauncherWait(long recoveredMs, long orphanedMs, int keepSecondsMax, long ranksComeMs) {
    /** A week: over a weekend somebody comes and looks. */
    public static final int KEEP_SECONDS_MAX_DEFAULT = 7 * 86_400;

    /** A JVM has come by then on a host with a hundred times too much to do. */
    private static final long RANKS_COME_MS = 300_000;

    /** A launcher dials for a minute by default, and a relay may be quicker than its operator thinks. */
    public static final LauncherWait DEFAULT = ofSeconds(60);

    public LauncherWait {
        if (recoveredMs < 0 || orphanedMs < 0 || keepSecondsMax < 0 || ranksComeMs < 0) {
            throw new IllegalArgumentException("recoveredMs " + recoveredMs + ", orphanedMs " + orphanedMs + ", keepSecondsMax " + keepSecondsMax
                    + " and ranksComeMs " + ranksComeMs + ", expected 0 or more");
        }
    }

    /** With the usual limits of what jobs may ask for. */
    LauncherWait(long recoveredMs, long orphanedMs) {
        this(recoveredMs, orphanedMs, KEEP_SECONDS_MAX_DEFAULT, RANKS_COME_MS);
    }

    /** With another limit of what jobs may ask for, in seconds. */
    public LauncherWait keepMax(int seconds) {
        return new LauncherWait(recoveredMs, orphanedMs, seconds, ranksComeMs);
    }

    /** So long for a job from the log, and half of it for one whose launcher has gone. */
    public static LauncherWait ofSeconds(int seconds) {
        return new LauncherWait(TimeUnit.SECONDS.toMillis(seconds), TimeUnit.SECONDS.toMillis(seconds) / 2);
    }

    /** For this job, after it was read from the log. */
    long recoveredMs(JobOpen job) {
        return ownMs(job, recoveredMs);
    }

    /** For this job, after its launcher's connection has ended. */
    long orphanedMs(JobOpen job) {
        return ownMs(job, orphanedMs);
    }

    /** One that asked for more was let in by a relay that allowed it, before it was started again. */
    private long ownMs(JobOpen job, long otherwiseMs) {
        return job.keepSeconds() == 0 ? otherwiseMs : TimeUnit.SECONDS.toMillis(Math.min(job.keepSeconds(), keepSecondsMax));
    }
}
