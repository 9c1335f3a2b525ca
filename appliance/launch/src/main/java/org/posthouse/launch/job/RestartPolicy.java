package org.posthouse.launch.job;

import org.posthouse.wire.FailureMode;
import org.posthouse.wire.JobOpen;

/**
 * The failures that a job survives.
 *
 * @param maxRestarts most restarts of each rank ({@code --max-restarts}), or new processes if the dead are replaced; 0: any death ends the job
 * @param relayTimeoutMs milliseconds of dialling a lost relay again ({@code --relay-timeout}); 0: its loss ends the job
 * @param silenceSeconds seconds that a rank's process may be stopped by a signal before it is killed and restarted
 *     ({@code --silence}); 0: for ever
 * @param launcherSeconds seconds that its relays keep the job without its launcher ({@code --launcher-timeout}), at
 *     most {@link JobOpen#KEEP_SECONDS_MAX}; 0: as the relays are set
 * @param onFailure what becomes of the job when a rank dies ({@code --on-failure}), if the other parts and its log allow that
 */
public record RestartPolicy(int maxRestarts, long relayTimeoutMs, int silenceSeconds, int launcherSeconds, FailureMode onFailure) {
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

    /** The program is told of no death. Ranks are started again if any restart is allowed. */
    public RestartPolicy(int maxRestarts, long relayTimeoutMs, int silenceSeconds, int launcherSeconds) {
        this(maxRestarts, relayTimeoutMs, silenceSeconds, launcherSeconds, FailureMode.usual(maxRestarts > 0));
    }

    /** With the usual patience for processes that stand still. */
    public RestartPolicy(int maxRestarts, long relayTimeoutMs) {
        this(maxRestarts, relayTimeoutMs, SILENCE_SECONDS_DEFAULT, 0);
    }
}
