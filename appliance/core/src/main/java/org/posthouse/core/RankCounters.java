package org.posthouse.core;

/** A rank's counters: messages, bytes, and the events of its history. Confined to the relay core. */
public final class RankCounters {
    private long messagesSent;
    private long bytesSent;
    private long messagesDelivered;

    /** The part of these that the log knew when this relay began. */
    private long deliveredBefore;

    private long bytesDelivered;
    private long events;
    private long failedPolls;

    /** Records of its history that no other number counts. */
    private long otherRecords;

    private final SourceCounters sources = new SourceCounters();

    void restore(RecoveredRank recovered) {
        messagesDelivered = recovered.deliveries();
        deliveredBefore = messagesDelivered;
        events = recovered.events();
        failedPolls = recovered.failedPolls();
    }

    public long messagesSent() {
        return messagesSent;
    }

    public long bytesSent() {
        return bytesSent;
    }

    /** Messages delivered, including those that wait while the rank is between two connections. */
    public long messagesDelivered() {
        return messagesDelivered;
    }

    /** Messages delivered by this relay process, like all its other counters. */
    public long deliveredHere() {
        return messagesDelivered - deliveredBefore;
    }

    public long bytesDelivered() {
        return bytesDelivered;
    }

    /** Messages delivered by this relay process, by their source. */
    public SourceCounters sources() {
        return sources;
    }

    /** Number of events in its history so far. */
    public long events() {
        return events;
    }

    void countEvents(int count) {
        events += count;
    }

    /** A piece of a message to it, or the end of its prologue, was logged. */
    void countRecord() {
        otherRecords++;
    }

    /** Changes with each record of its history in the log. */
    long recorded() {
        return messagesDelivered + events + failedPolls + otherRecords;
    }

    void countSent(long messageBytes) {
        messagesSent++;
        bytesSent += messageBytes;
    }

    /** Counts a delivery and returns its number, from 1. */
    long countDelivered(Message message) {
        bytesDelivered += message.bytes();
        sources.count(message.source(), message.bytes());
        return ++messagesDelivered;
    }

    /** Its failed polls since its start, as far as reported. */
    long failedPolls() {
        return failedPolls;
    }

    /**
     * The rank reports the low 32 bits of their number. In replay it repeats earlier reports, however old, and reports
     * nothing that its HELLO has not counted.
     *
     * @param counted all that its HELLO has counted; -1 unless it is in replay
     * @return whether there are more than were known
     */
    boolean learnFailedPolls(int told, long counted) {
        long most = counted < 0 ? failedPolls + Integer.MAX_VALUE : Math.max(failedPolls, counted);
        long all = most - Integer.toUnsignedLong((int) most - told);
        boolean more = all > failedPolls;
        failedPolls = Math.max(failedPolls, all);
        return more;
    }
}
