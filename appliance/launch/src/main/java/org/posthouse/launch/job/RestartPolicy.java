package org.posthouse.launch.job;

import org.posthouse.wire.JobOpen;

/**
 * What a logged job endures before it ends.
 *
 * @param maxRestarts how often each rank is started again at most ({@code --max-restarts}); 0: any death ends the job
 * @param relayTimeoutMs how long a relay that is lost is dialled again ({@code --relay-timeout}); 0: its loss ends the job
 * @param silenceSeconds how long a rank's process may be stopped by a signal until it is killed, and started again ({@code
 *     --silence}); 0: for ever
 * @param launcherSeconds how long its relays keep it without its launcher ({@code --launcher-timeout}), at most {@link
 *     JobOpen#KEEP_SECONDS_MAX}; 0: as they are set
 */
public record RestartPolicy(int maxRestarts, long relayTimeoutMs, int silenceSeconds, int launcherSeconds) {
    private static final int SILENCE_SECONDS_DEFAULT = 30;

    /** As much as a user wants who does not say. A relay that is started again waits for its jobs' launchers as long. */
    public static final RestartPolicy DEFAULT = new RestartPolicy(3, 60_000);

    /** Nothing. */
    public static final RestartPolicy NONE = new RestartPolicy(0, 0);

    public RestartPolicy {
        if (maxRestarts < 0 || relayTimeoutMs < 0 || silenceSeconds < 0 || launcherSeconds < 0) {
            throw new IllegalArgumentException(
                    "maxRestarts " + maxRestarts + ", relayTimeoutMs " + relayTimeoutMs + ", silenceSeconds " + silenceSeconds
                            + " and launcherSeconds " + launcherSeconds + ", expected 0 or more");
        }
    }

    /** With the usual patience for processes that stand still. */
    public RestartPolicy(int maxRestarts, long relayTimeoutMs) {
        this(maxRestarts, relayTimeoutMs, SILENCE_SECONDS_DEFAULT, 0);
    }
}
