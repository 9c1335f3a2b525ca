package org.posthouse.status;

import java.util.Objects;

/**
 * An event at a relay that an operator may want to know. Immutable.
 *
 * @param id    larger than that of every earlier event of the relay, and of its earlier starts
 * @param at    milliseconds since 1970 UTC
 * @param relay the relay's id
 * @param kind  what happened, such as {@code RANK_LOST}; docs/operations.md lists the kinds
 * @param job   the job's id; empty if it is about no job
 * @param rank  the rank; -1 if it is about none
 * @param text  one line for people
 */
public record RelayEvent(long id, long at, String relay, String kind, String job, int rank, String text) {
    /** Refuses nulls. */
    public RelayEvent {
        Objects.requireNonNull(relay, "relay");
        Objects.requireNonNull(kind, "kind");
        Objects.requireNonNull(job, "job");
        Objects.requireNonNull(text, "text");
    }

    /** The same event with another number. */
    public RelayEvent withId(long other) {
        return new RelayEvent(other, at, relay, kind, job, rank, text);
    }
}
