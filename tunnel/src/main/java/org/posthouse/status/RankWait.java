package org.posthouse.status;

import java.util.Objects;

/**
 * A rank that has been inside one call for seconds. Immutable.
 *
 * @param rank  the rank
 * @param call  the call, in the program's terms
 * @param since when it was heard of first, milliseconds since 1970 UTC
 * @param peer  the rank that it waits for; -1 if that is not one, or not known: a receive from any source, several requests, a collective
 */
public record RankWait(int rank, String call, long since, int peer) {
    /** Refuses nulls. */
    public RankWait {
        Objects.requireNonNull(call, "call");
    }
}
