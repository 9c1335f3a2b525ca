package org.posthouse.launch.place;

import org.posthouse.wire.HomeRelay;

/**
 * A relay that a job's ranks could be at home at.
 *
 * @param home the relay
 * @param ranks number of ranks of other jobs at home there
 */
public record Candidate(HomeRelay home, int ranks) {
    /** The name of the relay. */
    public String relay() {
        return home.relay();
    }

    String site() {
        return home.site();
    }
}
