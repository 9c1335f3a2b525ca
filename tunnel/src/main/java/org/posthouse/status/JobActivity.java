package org.posthouse.status;

import java.util.List;

/**
 * What the ranks of a job that are at home at one relay have done in the last minutes. Immutable.
 *
 * @param from   begin of the first second, milliseconds since 1970 UTC
 * @param ranks  of each rank as many seconds
 */
public record JobActivity(long from, List<RankActivity> ranks) {
    /** Copies the list. */
    public JobActivity {
        ranks = List.copyOf(ranks);
    }
}
