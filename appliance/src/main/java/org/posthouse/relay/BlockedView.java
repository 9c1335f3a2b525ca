package org.posthouse.relay;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.posthouse.core.BlockedCall;
import org.posthouse.relay.shard.ShardStatus;
import org.posthouse.status.RankStatus;
import org.posthouse.status.RankWait;

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
    private BlockedCall of(int rank, RankStatus.State state) {
        return state == RankStatus.State.CONNECTED ? ranks.get(rank) : null;
    }

    /** The rank with the call in which it is blocked, if that is known. */
    RankStatus in(RankStatus rank) {
        BlockedCall blockedCall = of(rank.rank(), rank.state());
        return blockedCall == null ? rank : rank.with(rank.site(), rank.relay(), blockedCall.in(), ms(blockedCall.sinceNanos()));
    }

    /**
     * The calls in which these processes are blocked, by their ranks.
     *
     * @param size number of the job's ranks; a process that has taken a dead one's place has a higher number (ADR 112)
     */
    List<RankWait> waits(int size, Collection<RankStatus> processes) {
        return processes.stream()
                .filter(process -> of(process.rank(), process.state()) != null)
                .map(process -> {
                    BlockedCall call = of(process.rank(), process.state());
                    return new RankWait(process.rank() % size, call.in(), ms(call.sinceNanos()), call.peer() < 0 ? call.peer() : call.peer() % size);
                })
                .toList();
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
    long standstillSinceMs(int size, Collection<RankStatus> all) {
        if (ranks.isEmpty() || all.size() < size) {
            return 0;
        }
        long shortestNs = Long.MAX_VALUE;
        for (RankStatus rank : all) {
            BlockedCall blockedCall = of(rank.rank(), rank.state());
            if (rank.state() != RankStatus.State.FINALIZED) {
                shortestNs = Math.min(shortestNs, blockedCall == null || !blockedCall.still() ? 0 : nowNs - blockedCall.stillSinceNanos());
            }
        }
        boolean isLong = shortestNs != Long.MAX_VALUE && TimeUnit.NANOSECONDS.toSeconds(shortestNs) >= BlockedCall.LONG_S;
        return isLong ? ms(nowNs - shortestNs) : 0;
    }
}
