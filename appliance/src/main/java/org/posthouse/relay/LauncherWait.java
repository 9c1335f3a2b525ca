package org.posthouse.relay;

import java.util.concurrent.TimeUnit;
import org.posthouse.wire.JobOpen;

/**
 * How long a logged job goes on without its launcher, which may come back to it, unless the job says so itself.
 *
 * @param recoveredMs after the relay has read it from its log
 * @param orphanedMs after the launcher's connection has ended while the relay lives
 */
public record LauncherWait(long recoveredMs, long orphanedMs) {
    /** A launcher dials for a minute by default, and a relay may be quicker than its operator thinks. */
    public static final LauncherWait DEFAULT = ofSeconds(60);

    public LauncherWait {
        if (recoveredMs < 0 || orphanedMs < 0) {
            throw new IllegalArgumentException(
                    "recoveredMs " + recoveredMs + " and orphanedMs " + orphanedMs + ", expected 0 or more");
        }
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

    private static long ownMs(JobOpen job, long otherwiseMs) {
        return job.keepSeconds() == 0 ? otherwiseMs : TimeUnit.SECONDS.toMillis(job.keepSeconds());
    }
}
