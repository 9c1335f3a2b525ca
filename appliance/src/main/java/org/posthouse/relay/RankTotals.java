package org.posthouse.relay;

/** Counters summed up over ranks. Confined to the relay's control strand. */
final class RankTotals {
    private long messagesSent;
    private long bytesSent;
    private long messagesDelivered;
    private long bytesDelivered;
    private long unexpected;
    private long posted;
    private long creditBytes;
    private long creditMessages;

    /** Adds what the rank has done since its start. */
    void add(ShardStatus.Rank rank) {
        messagesSent += rank.messagesSent();
        bytesSent += rank.bytesSent();
        messagesDelivered += rank.messagesDelivered();
        bytesDelivered += rank.bytesDelivered();
    }

    /** Adds what it holds now. */
    void addWaiting(ShardStatus.Rank rank) {
        unexpected += rank.unexpected();
        posted += rank.posted();
        creditBytes += rank.creditBytesFree();
        creditMessages += rank.creditMessagesFree();
    }

    /** Adds what others have done. */
    void add(RankTotals other) {
        messagesSent += other.messagesSent;
        bytesSent += other.bytesSent;
        messagesDelivered += other.messagesDelivered;
        bytesDelivered += other.bytesDelivered;
    }

    /** What came from ranks and went to them. */
    FlowBook.Counts carried() {
        return new FlowBook.Counts(messagesSent, messagesDelivered, bytesSent, bytesDelivered);
    }

    long unexpected() {
        return unexpected;
    }

    long posted() {
        return posted;
    }

    /** What connected ranks may still send undelivered. */
    long creditBytes() {
        return creditBytes;
    }

    long creditMessages() {
        return creditMessages;
    }
}
