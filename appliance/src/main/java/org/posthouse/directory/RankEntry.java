package org.posthouse.directory;

import java.util.Comparator;
import java.util.Objects;

/**
 * A rank's home relay and state.
 *
 * @param job the job's number
 * @param rank the rank in the job, at least 0
 * @param site the site of its home relay
 * @param relay the id of its home relay
 * @param incarnation the number of its starts, at least 0; the highest one wins
 * @param state a word for people, such as {@code running}
 */
public record RankEntry(long job, int rank, String site, String relay, int incarnation, String state) {
    static final Comparator<RankEntry> ORDER =
            Comparator.comparingLong(RankEntry::job).thenComparingInt(RankEntry::rank);

    public RankEntry {
        Objects.requireNonNull(site, "site");
        Objects.requireNonNull(relay, "relay");
        Objects.requireNonNull(state, "state");
        if (rank < 0 || incarnation < 0) {
            throw new IllegalArgumentException("job " + job + " rank " + rank + " with incarnation " + incarnation
                    + "; expected both to be 0 or more");
        }
    }
}
