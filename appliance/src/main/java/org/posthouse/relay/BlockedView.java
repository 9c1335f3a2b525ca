package org.posthouse.relay;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.posthouse.core.BlockedCall;
import org.posthouse.ops.RankView;
import org.posthouse.relay.shard.ShardStatus;

/** The calls in which a job's ranks are blocked, as last counted by the shards, with times of day. Immutable. */
final class BlockedView {
    private final Map<Integer, BlockedCall> ranks;
    private final long nowNs;
    private final long nowMs;

    /**
     * @param nowNs the present time of the shards' clock
     * @param nowMs the same in milliseconds since 1970
     */
    BlockedView(Map<Integer, BlockedCall> ranks, long nowNs, long nowMs) {
        this.ranks = ranks;
        this.nowNs = nowNs;
        this.nowMs = nowMs;
    }

    static BlockedView of(long job, List<ShardStatus> shards) {
        Map<Integer, BlockedCall> ranks = new HashMap<>();
        shards.forEach(shard -> ranks.putAll(shard.blockedOf(job)));
        return new BlockedView(ranks, System.nanoTime(), System.currentTimeMillis());
    }

    /** A rank that is not connected is not blocked, whatever it has reported last. */
    private BlockedCall of(int rank, RankView.State state) {
        return state == RankView.State.CONNECTED ? ranks.get(rank) : null;
    }

    /** The call in which the rank is blocked; empty if unknown. */
    String in(int rank, RankView.State state) {
        BlockedCall blockedCall = of(rank, state);
        return blockedCall == null ? "" : blockedCall.in();
    }

    /** Milliseconds since 1970; 0 if unknown. */
    long sinceMs(int rank, RankView.State state) {
        BlockedCall blockedCall = of(rank, state);
        return blockedCall == null ? 0 : ms(blockedCall.sinceNanos());
    }

    /** By the host's present clock, which may have been set since. */
    private long ms(long nanos) {
        return nowMs - TimeUnit.NANOSECONDS.toMillis(nowNs - nanos);
    }

    /**
     * When all ranks that have not called Finalize came to a standstill, in milliseconds since 1970; 0 if they do not
     * stand still. The last of them must stand still for {@link BlockedCall#LONG_S}.
     *
     * @param size number of the job's ranks; a rank without any report may be computing
     */
    long standstillSinceMs(int size, Collection<RankView> all) {
        if (ranks.isEmpty() || all.size() < size) {
            return 0;
        }
        long shortestNs = Long.MAX_VALUE;
        for (RankView rank : all) {
            BlockedCall blockedCall = of(rank.rank(), rank.state());
            if (rank.state() != RankView.State.FINALIZED) {
                shortestNs = Math.min(shortestNs, blockedCall == null || !blockedCall.still() ? 0 : nowNs - blockedCall.stillSinceNanos());
            }
        }
        boolean isLong = shortestNs != Long.MAX_VALUE && TimeUnit.NANOSECONDS.toSeconds(shortestNs) >= BlockedCall.LONG_S;
        return isLong ? ms(nowNs - shortestNs) : 0;
    }
}
