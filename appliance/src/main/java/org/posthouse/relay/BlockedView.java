package org.posthouse.relay;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.posthouse.core.Blocked;
import org.posthouse.ops.RankView;

/** What a job's ranks are blocked in, as the shards have counted it last, in the time that people have. Immutable. */
final class BlockedView {
    private final Map<Integer, Blocked> ranks;
    private final long nowNs;
    private final long nowMs;

    /** @param nowNs by the shards' clock @param nowMs the same in milliseconds since 1970 */
    BlockedView(Map<Integer, Blocked> ranks, long nowNs, long nowMs) {
        this.ranks = ranks;
        this.nowNs = nowNs;
        this.nowMs = nowMs;
    }

    static BlockedView of(long job, List<ShardStatus> shards) {
        Map<Integer, Blocked> ranks = new HashMap<>();
        shards.forEach(shard -> ranks.putAll(shard.blockedOf(job)));
        return new BlockedView(ranks, System.nanoTime(), System.currentTimeMillis());
    }

    /** A rank that is not there is blocked in nothing, whatever it has said last. */
    private Blocked of(int rank, RankView.State state) {
        return state == RankView.State.CONNECTED ? ranks.get(rank) : null;
    }

    /** Empty if that is not known. */
    String in(int rank, RankView.State state) {
        Blocked blocked = of(rank, state);
        return blocked == null ? "" : blocked.in();
    }

    /** In milliseconds since 1970; 0 if that is not known. */
    long sinceMs(int rank, RankView.State state) {
        Blocked blocked = of(rank, state);
        return blocked == null ? 0 : ms(blocked.sinceNanos());
    }

    /** By the time that the host has now: it may have been set since. */
    private long ms(long nanos) {
        return nowMs - TimeUnit.NANOSECONDS.toMillis(nowNs - nanos);
    }

    /**
     * Since when all that have not called Finalize stand still, in milliseconds since 1970, when the last of them has for {@link Blocked#LONG_S}; 0 if
     * they do not.
     *
     * @param size ranks of the job: one of which nothing is known may be at work
     */
    long standstillSinceMs(int size, Collection<RankView> all) {
        if (ranks.isEmpty() || all.size() < size) {
            return 0;
        }
        long shortestNs = Long.MAX_VALUE;
        for (RankView rank : all) {
            Blocked blocked = of(rank.rank(), rank.state());
            if (rank.state() != RankView.State.FINALIZED) {
                shortestNs = Math.min(shortestNs, blocked == null || !blocked.still() ? 0 : nowNs - blocked.stillSinceNanos());
            }
        }
        boolean isLong = shortestNs != Long.MAX_VALUE && TimeUnit.NANOSECONDS.toSeconds(shortestNs) >= Blocked.LONG_S;
        return isLong ? ms(nowNs - shortestNs) : 0;
    }
}
