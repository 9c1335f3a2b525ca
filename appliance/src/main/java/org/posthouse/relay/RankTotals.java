package org.posthouse.relay;

import org.posthouse.relay.shard.ShardStatus;
import org.posthouse.status.Traffic;

/** Sums of counters over ranks. Confined to the relay's control strand. */
final class RankTotals {
    private long messagesSent;
    private long bytesSent;
    private long messagesDelivered;
    private long bytesDelivered;
    private long unexpected;
    private long posted;
    private long creditBytes;
    private long creditMessages;

    /** Adds the rank's counters since its start. */
    void add(ShardStatus.Rank rank) {
        messagesSent += rank.status().messagesSent();
        bytesSent += rank.status().bytesSent();
        messagesDelivered += rank.status().messagesDelivered();
        bytesDelivered += rank.status().bytesDelivered();
    }

    /** Adds what the rank holds now. */
    void addWaiting(ShardStatus.Rank rank) {
        unexpected += rank.status().unexpected();
        posted += rank.status().posted();
        creditBytes += rank.creditBytesFree();
        creditMessages += rank.creditMessagesFree();
    }

    /** Adds the counters of other totals. */
    void add(RankTotals other) {
        messagesSent += other.messagesSent;
        bytesSent += other.bytesSent;
        messagesDelivered += other.messagesDelivered;
        bytesDelivered += other.bytesDelivered;
    }

    /** The traffic from and to ranks. */
    Traffic carried() {
        return new Traffic(messagesSent, messagesDelivered, bytesSent, bytesDelivered);
    }

    long unexpected() {
        return unexpected;
    }

    long posted() {
        return posted;
    }

    /** Bytes that connected ranks may still send before credit returns. */
    long creditBytes() {
        return creditBytes;
    }

    long creditMessages() {
        return creditMessages;
    }
}
