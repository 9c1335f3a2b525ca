package org.posthouse.relay;

import java.util.Locale;
import java.util.Optional;
import org.posthouse.wire.JobEvent;

/** What an operator hears of a rank. Stateless. */
final class RankLifecycle {
    private RankLifecycle() {}

    /** The event as a line; empty of one that a healthy job has too. @param incarnation of the rank's process, 0 if it is unknown */
    static Optional<String> describe(JobEvent event, int incarnation) {
        String rank = String.format(Locale.ROOT, "rank %d of job %016x", event.rank(), event.job());
        return switch (event.kind()) {
            case JobEvent.CONNECTED, JobEvent.REPLAYING -> incarnation > 1
                    ? Optional.of(rank + " is restarted, incarnation " + incarnation)
                    : Optional.empty();
            case JobEvent.PROMOTED -> Optional.of(rank + " is led by its follower " + event.code() + ", incarnation " + event.a());
            case JobEvent.FOLLOWER_LOST -> Optional.of(rank + " has lost its follower " + event.code() + text(event));
            case JobEvent.LOST -> Optional.of(rank + " is lost" + text(event));
            case JobEvent.AWAY -> Optional.of(rank + " is away" + text(event));
            case JobEvent.DIVERGED -> Optional.of(rank + " diverged" + text(event));
            case JobEvent.ABORTED -> Optional.of(rank + " has aborted the job, status " + event.code() + text(event));
            default -> Optional.empty();
        };
    }

    private static String text(JobEvent event) {
        return event.text().isEmpty() ? "" : ": " + event.text();
    }
}
