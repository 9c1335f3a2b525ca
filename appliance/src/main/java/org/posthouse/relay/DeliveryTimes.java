package org.posthouse.relay;

import java.util.HashMap;
import java.util.Map;
import org.posthouse.status.RankStatus;

/**
 * When a message was delivered last to each rank at home here, to the second. It compares counters that the console is shown
 * anyway, so no message waits for it. Confined to the relay's event loop.
 *
 * <p>Bound: the ranks of open jobs that are at home here, which the relay limits.
 */
final class DeliveryTimes {
    private static final long STEP_MS = 1_000;

    private final Map<Long, Map<Integer, Last>> jobs = new HashMap<>();

    /**
     * The last delivery to one rank.
     *
     * @param delivered messages delivered by then
     * @param atMs milliseconds since 1970 UTC; 0 if there was none
     */
    private record Last(long delivered, long atMs) {
        private static final Last NONE = new Last(0, 0);
    }

    /** Takes a rank's present counter. @return when its last message was delivered, milliseconds since 1970 UTC; 0 unknown */
    long look(long job, RankStatus rank, long nowMs) {
        return jobs.computeIfAbsent(job, unseen -> new HashMap<>())
                .merge(rank.rank(), next(Last.NONE, rank, nowMs), (last, first) -> next(last, rank, nowMs)).atMs;
    }

    private static Last next(Last last, RankStatus rank, long nowMs) {
        return rank.messagesDelivered() == last.delivered ? last : new Last(rank.messagesDelivered(), nowMs / STEP_MS * STEP_MS);
    }

    /** The job has ended. */
    void remove(long job) {
        jobs.remove(job);
    }
}
