package org.posthouse.relay;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.posthouse.core.Blocked;
import org.posthouse.ops.RankView;

/** The calls in which a job's ranks are blocked, as last counted by the shards, with times of day. Immutable. */
final class BlockedView {
    private final Map<Integer, Blocked> ranks;
    private final long nowNs;
    private final long nowMs;

    /**
     * @param nowNs the present time of the shards' clock
     * @param nowMs the same in milliseconds since 1970
     */
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

    /** A rank that is not connected is not blocked, whatever it has reported last. */
    private Blocked of(int rank, RankView.State state) {
        return state == RankView.State.CONNECTED ? ranks.get(rank) : null;
    }

    /** The call in which the rank is blocked; empty if unknown. */
    String in(int rank, RankView.State state) {
        Blocked blocked = of(rank, state);
        return blocked == null ? "" : blocked.in();
    }

    /** Milliseconds since 1970; 0 if unknown. */
    long sinceMs(int rank, RankView.State state) {
        Blocked blocked = of(rank, state);
        return blocked == null ? 0 : ms(blocked.sinceNanos());
    }

    /** By the host's present clock, which may have been set since. */
    private long ms(long nanos) {
        return nowMs - TimeUnit.NANOSECONDS.toMillis(nowNs - nanos);
    }

    /**
     * When all ranks that have not called Finalize came to a standstill, in milliseconds since 1970; 0 if they do not
     * stand still. The last of them must stand still for {@link Blocked#LONG_S}.
     *
     * @param size number of the job's ranks; a rank without any report may be computing
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
