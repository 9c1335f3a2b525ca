package org.posthouse.relay;

import java.util.concurrent.TimeUnit;

/**
 * How long a logged job goes on without its launcher, which may come back to it.
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
}
