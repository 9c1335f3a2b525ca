package org.posthouse.launch;

/**
 * What a logged job endures before it ends.
 *
 * @param maxRestarts how often each rank is started again at most ({@code --max-restarts}); 0: any death ends the job
 * @param relayTimeoutMs how long a relay that is lost is dialled again ({@code --relay-timeout}); 0: its loss ends the job
 */
public record Patience(int maxRestarts, long relayTimeoutMs) {
    /** As much as a user wants who does not say. A relay that is started again waits for its jobs' launchers as long. */
    public static final Patience DEFAULT = new Patience(3, 60_000);

    /** Nothing. */
    public static final Patience NONE = new Patience(0, 0);

    public Patience {
        if (maxRestarts < 0 || relayTimeoutMs < 0) {
            throw new IllegalArgumentException(
                    "maxRestarts " + maxRestarts + " and relayTimeoutMs " + relayTimeoutMs + ", expected 0 or more");
        }
    }
}
