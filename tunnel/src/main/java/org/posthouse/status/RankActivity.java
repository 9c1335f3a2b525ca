package org.posthouse.status;

import java.util.List;
import java.util.Objects;

/**
 * What a rank has done in each second of the last minutes. Immutable.
 *
 * @param rank      the rank
 * @param sent      messages that it sent in each second, oldest first
 * @param delivered messages that were delivered to it
 * @param waits     calls in which it was blocked for seconds, oldest first
 */
public record RankActivity(int rank, List<Long> sent, List<Long> delivered, List<Span> waits) {
    /** Copies the lists. */
    public RankActivity {
        sent = List.copyOf(sent);
        delivered = List.copyOf(delivered);
        waits = List.copyOf(waits);
    }

    /**
     * One blocked call.
     *
     * @param from milliseconds since 1970 UTC
     * @param to   its end; 0 if it lasts
     * @param call the call, in the program's terms
     */
    public record Span(long from, long to, String call) {
        /** Refuses nulls. */
        public Span {
            Objects.requireNonNull(call, "call");
        }
    }
}
