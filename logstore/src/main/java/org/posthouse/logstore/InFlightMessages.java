package org.posthouse.logstore;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Chunk;
import org.posthouse.logstore.record.LogRecord.Delivery;
import org.posthouse.logstore.record.RecordDecoder;
import org.posthouse.logstore.record.RecordEnvelope;
import org.posthouse.logstore.record.RecordLayout;

/**
 * The messages that were undelivered or incomplete when a log was last written. The mailboxes are rebuilt from them.
 * The scan at open fills this object; then the relay takes each mailbox's messages out once. Confined to its user.
 */
public final class InFlightMessages {
    private final Map<Long, Map<Integer, Map<Long, StoredMessage>>> jobs = new HashMap<>();

    /** Applies the next record, as {@link LogState#apply} does. */
    void apply(ByteBuffer b, int at, long place) {
        long job = b.getLong(at + RecordEnvelope.JOB);
        switch (RecordDecoder.type(b, at)) {
            case JOB_OPENED -> {
                if (job != LogRecord.NO_JOB) {
                    jobs.put(job, new HashMap<>());
                }
            }
            case JOB_CLOSED -> jobs.remove(job);
            case ARRIVAL -> arrival(b, at, place);
            case PAYLOAD_CHUNK -> piece((Chunk) RecordDecoder.decode(b, at), place, RecordDecoder.payloadBytes(b, at));
            case DELIVERY -> delivered(RecordDecoder.delivery(b, at));
            case WITHDRAWN -> of(job, b.getInt(at + RecordEnvelope.RANK)).remove(b.getLong(at + RecordLayout.WITHDRAWN_ARRIVAL));
            default -> {
                // Concerns no message.
            }
        }
    }

    /** Adds the jobs of a log whose first records are gone; none of their earlier messages is open. */
    void begin(LogState book) {
        book.jobs().forEach(job -> jobs.put(job.id(), new HashMap<>()));
    }

    /**
     * The messages of one mailbox in the order of their arrival. If the job is not open, it is a temporary map that is
     * discarded.
     */
    private Map<Long, StoredMessage> of(long job, int rank) {
        Map<Integer, Map<Long, StoredMessage>> ranks = jobs.get(job);
        return ranks == null ? new HashMap<>() : ranks.computeIfAbsent(rank, r -> new LinkedHashMap<>());
    }

    private void arrival(ByteBuffer b, int at, long place) {
        int inline = RecordDecoder.payloadBytes(b, at);
        long position = b.getLong(at + RecordEnvelope.POSITION);
        if (!RecordDecoder.isDelivered(b, at) || inline < b.getLong(at + RecordLayout.ARRIVAL_LENGTH)) {
            StoredMessage message = new StoredMessage(RecordDecoder.arrival(b, at), position, place, inline);
            of(message.arrival().job(), message.arrival().rank()).put(position, message);
        }
    }

    private void piece(Chunk chunk, long place, int bytes) {
        Map<Long, StoredMessage> mailbox = of(chunk.job(), chunk.rank());
        StoredMessage message = mailbox.get(chunk.arrivalPosition());
        if (message != null) {
            message.add(place, bytes);
            forgetIfDone(mailbox, message);
        }
    }

    private void delivered(Delivery delivery) {
        Map<Long, StoredMessage> mailbox = of(delivery.job(), delivery.rank());
        StoredMessage message = mailbox.get(delivery.arrivalPosition());
        if (message != null) {
            message.delivered(delivery.receipt());
            forgetIfDone(mailbox, message);
        }
    }

    private static void forgetIfDone(Map<Long, StoredMessage> mailbox, StoredMessage message) {
        if (message.receipt() != null && message.isWhole()) {
            mailbox.remove(message.position());
        }
    }

    /** Removes and returns the messages of one mailbox of an open job, in the order of their arrival. */
    public List<StoredMessage> take(long job, int rank) {
        Map<Integer, Map<Long, StoredMessage>> ranks = jobs.get(job);
        Map<Long, StoredMessage> taken = ranks == null ? null : ranks.remove(rank);
        return taken == null ? List.of() : List.copyOf(taken.values());
    }

    /** Number of messages that were not taken out yet. */
    public int count() {
        return jobs.values().stream().flatMap(ranks -> ranks.values().stream()).mapToInt(Map::size).sum();
    }

}
