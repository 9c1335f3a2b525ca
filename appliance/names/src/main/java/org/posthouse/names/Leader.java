package org.posthouse.names;

import java.util.Map;
import java.util.Objects;

/**
 * Who has won an election.
 *
 * @param contender who leads
 * @param frontEnd the relay through which it contended
 * @param count the election's number, which is the epoch of all that the leader writes
 * @param since milliseconds since 1970 UTC, by the front end's clock
 */
public record Leader(String contender, String frontEnd, long count, long since) {
    private static final String CONTENDER = "leader";
    private static final String FRONT_END = "frontEnd";
    private static final String SINCE = "since";

    /** Refuses nulls. */
    public Leader {
        Objects.requireNonNull(contender, "contender");
        Objects.requireNonNull(frontEnd, "frontEnd");
    }

    NameRecord record() {
        return NameRecord.of(Map.of(CONTENDER, contender, FRONT_END, frontEnd, SINCE, Long.toString(since)), count);
    }

    static Leader of(NameRecord token) {
        String since = token.field(SINCE);
        return new Leader(token.field(CONTENDER), token.field(FRONT_END), token.epoch(), since.matches("\\d{1,18}") ? Long.parseLong(since) : 0);
    }
}
