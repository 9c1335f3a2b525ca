package org.posthouse.relay.shard;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.core.BlockedCall;
import org.posthouse.core.CoreConfig;
import org.posthouse.core.FollowerState;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Job;
import org.posthouse.core.Latencies;
import org.posthouse.core.MatchStatistics;
import org.posthouse.core.RankState;
import org.posthouse.core.RelayCore;
import org.posthouse.status.RankStatus;

/**
 * The counters and state of one shard at one moment. Immutable.
 *
 * @param messagesMatched messages matched to a receive since the relay's start
 * @param messagesStored messages since then that had to wait for a receive
 * @param messagesPushed messages since then that were sent to their ranks before their receives
 * @param messageWaits waiting times of matched messages since then; must not be changed
 * @param receiveWaits waiting times of matched receives since then; must not be changed
 * @param queuedDeepest most pieces of work that waited at once since the count before
 * @param ranks for each open job, its ranks of this shard
 * @param blocked for each open job, the calls in which ranks are blocked; in the first shard also those of ranks at
 *         other relays
 */
public record ShardStatus(
        long messagesMatched,
        long messagesStored,
        long messagesPushed,
        Latencies messageWaits,
        Latencies receiveWaits,
        int queuedDeepest,
        Map<Long, List<Rank>> ranks,
        Map<Long, Map<Integer, BlockedCall>> blocked) {
    static final ShardStatus NOTHING = new ShardStatus(0, 0, 0, new Latencies(), new Latencies(), 0, Map.of(), Map.of());

    /**
     * One rank.
     *
     * @param status the rank, without its place and the call in which it is blocked
     * @param creditBytesFree bytes that it may still send before credit returns; 0 unless connected
     * @param creditMessagesFree messages that it may still send before credit returns; 0 unless connected
     * @param followers processes that follow it
     */
    public record Rank(RankStatus status, long creditBytesFree, int creditMessagesFree, List<FollowerState> followers) {
        private static Rank of(HomedRank rank, CoreConfig credit) {
            boolean connected = rank.state() == RankState.CONNECTED;
            RankStatus status = new RankStatus(
                    rank.rank(),
                    "",
                    "",
                    shown(rank.state()),
                    rank.incarnation(),
                    rank.counters().messagesSent(),
                    rank.counters().deliveredHere(),
                    rank.counters().bytesSent(),
                    rank.counters().bytesDelivered(),
                    rank.mailbox().unexpected(),
                    rank.mailbox().posted(),
                    "",
                    0,
                    "",
                    0,
                    0);
            return new Rank(
                    status,
                    connected ? credit.creditBytes() - rank.sends().creditBytesUsed() : 0,
                    connected ? credit.creditMessages() - rank.sends().creditMessagesUsed() : 0,
                    rank.followerStates());
        }
    }

    /**
     * The state to show. A rank that moves between two connections is shown as connected, because moving takes
     * milliseconds.
     */
    public static RankStatus.State shown(RankState state) {
        return state == RankState.MOVING ? RankStatus.State.CONNECTED : RankStatus.State.valueOf(state.name());
    }

    /** Called inside the core's strand. */
    static ShardStatus of(RelayCore core, CoreConfig credit, int queuedDeepest, boolean isFirst) {
        Map<Long, List<Rank>> ranks = new HashMap<>();
        Map<Long, Map<Integer, BlockedCall>> blocked = new HashMap<>();
        for (Job job : core.jobs()) {
            List<Rank> list = new ArrayList<>();
            job.homedRanks().stream().filter(job::isShown).forEach(rank -> list.add(Rank.of(rank, credit)));
            ranks.put(job.id(), list);
            blocked.put(job.id(), job.blocked(isFirst));
        }
        MatchStatistics matches = core.statistics();
        return new ShardStatus(
                matches.matched(),
                matches.stored(),
                matches.pushed(),
                matches.messageWaits(),
                matches.receiveWaits(),
                queuedDeepest,
                ranks,
                blocked);
    }

    public Map<Integer, BlockedCall> blockedOf(long job) {
        return blocked.getOrDefault(job, Map.of());
    }

    public List<Rank> ranksOf(long job) {
        return ranks.getOrDefault(job, List.of());
    }
}
