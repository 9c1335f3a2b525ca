package org.posthouse.relay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Job;
import org.posthouse.core.RankState;
import org.posthouse.core.RelayCore;

/**
 * What one shard has done and holds at one moment. Immutable.
 *
 * @param messagesMatched messages matched to a receive since the relay's start
 * @param ranks for each open job, its ranks of this shard
 */
record ShardStatus(long messagesMatched, Map<Long, List<Rank>> ranks) {
    static final ShardStatus NOTHING = new ShardStatus(0, Map.of());

    /**
     * One rank.
     *
     * @param creditBytesFree what it may still send undelivered; 0 unless connected
     */
    record Rank(
            int rank,
            RankState state,
            int incarnation,
            long messagesSent,
            long messagesDelivered,
            long bytesSent,
            long bytesDelivered,
            int unexpected,
            int posted,
            long creditBytesFree) {

        private static Rank of(HomedRank rank, long creditBytes) {
            return new Rank(
                    rank.rank(),
                    rank.state(),
                    rank.incarnation(),
                    rank.messagesSent(),
                    rank.messagesDelivered(),
                    rank.bytesSent(),
                    rank.bytesDelivered(),
                    rank.mailbox().unexpected(),
                    rank.mailbox().posted(),
                    rank.state() == RankState.CONNECTED ? creditBytes - rank.creditBytesUsed() : 0);
        }
    }

    /** Called inside the core's strand. */
    static ShardStatus of(RelayCore core, long creditBytes) {
        Map<Long, List<Rank>> ranks = new HashMap<>();
        for (Job job : core.jobs()) {
            List<Rank> list = new ArrayList<>();
            job.homedRanks().forEach(rank -> list.add(Rank.of(rank, creditBytes)));
            ranks.put(job.id(), list);
        }
        return new ShardStatus(core.messagesMatched(), ranks);
    }

    List<Rank> ranksOf(long job) {
        return ranks.getOrDefault(job, List.of());
    }
}
