package org.posthouse.logstore;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.posthouse.logstore.LogRecord.Arrival;
import org.posthouse.logstore.LogRecord.CheckpointTaken;
import org.posthouse.logstore.LogRecord.Chunk;
import org.posthouse.logstore.LogRecord.Delivery;
import org.posthouse.logstore.LogRecord.Diverged;
import org.posthouse.logstore.LogRecord.Events;
import org.posthouse.logstore.LogRecord.Finalized;
import org.posthouse.logstore.LogRecord.Form;
import org.posthouse.logstore.LogRecord.Incarnation;
import org.posthouse.logstore.LogRecord.JobClosed;
import org.posthouse.logstore.LogRecord.JobOpened;
import org.posthouse.logstore.LogRecord.Polls;
import org.posthouse.logstore.LogRecord.Receipt;
import org.posthouse.logstore.LogRecord.Snapshot;
import org.posthouse.logstore.LogRecord.Withdrawn;
import org.posthouse.logstore.LogRecord.WriterStarted;

/**
 * Decodes records that {@link RecordCodec} wrote and that passed {@link RecordEnvelope#flaw}, in a little-endian
 * buffer. Stateless.
 */
final class RecordDecoder {
    private RecordDecoder() {}

    static RecordType type(ByteBuffer b, int at) {
        return RecordType.of(b.get(at + RecordEnvelope.TYPE));
    }

    /** The record that begins at this offset. */
    static LogRecord decode(ByteBuffer b, int at) {
        long job = b.getLong(at + RecordEnvelope.JOB);
        int rank = b.getInt(at + RecordEnvelope.RANK);
        return switch (type(b, at)) {
            case ARRIVAL -> arrival(b, at);
            case PAYLOAD_CHUNK -> new Chunk(job, rank, b.getLong(at + Body.CHUNK_ARRIVAL), b.getLong(at + Body.CHUNK_OFFSET),
                    b.getLong(at + Body.CHUNK_PREVIOUS_PLACE));
            case DELIVERY -> delivery(b, at);
            case POLLS -> new Polls(job, rank, b.getInt(at + Body.POLLS_INCARNATION), b.getLong(at + Body.POLLS_CUMULATIVE));
            case JOB_OPENED -> new JobOpened(job, b.getInt(at + Body.OPENED_SIZE), b.getInt(at + Body.OPENED_DURABILITY));
            case JOB_CLOSED -> new JobClosed(job, b.getInt(at + Body.CLOSED_STATUS));
            case WRITER_STARTED -> new WriterStarted(b.getLong(at + Body.STARTED_WALL_TIME), b.getLong(at + Body.STARTED_PID),
                    boot(b, at), b.getLong(at + Body.STARTED_RELAY_EPOCH));
            case EVENTS -> new Events(job, rank, b.getInt(at + Body.EVENTS_INCARNATION), b.getInt(at + Body.EVENTS_COUNT),
                    b.getLong(at + Body.EVENTS_FIRST), isLimited(b, at));
            case INCARNATION -> new Incarnation(job, rank, b.getInt(at + Body.INCARNATION_NUMBER),
                    b.getInt(at + Body.INCARNATION_START), b.getLong(at + Body.INCARNATION_IMAGE));
            case WITHDRAWN -> new Withdrawn(job, rank, b.getInt(at + Body.WITHDRAWN_CONTEXT), b.getInt(at + Body.WITHDRAWN_SOURCE),
                    b.getLong(at + Body.WITHDRAWN_SEQUENCE), b.getLong(at + Body.WITHDRAWN_ARRIVAL));
            case FINALIZED -> new Finalized(job, rank, b.getInt(at + Body.FINALIZED_INCARNATION), isDone(b, at));
            case CHECKPOINT_TAKEN -> new CheckpointTaken(job, rank, checkpoint(b, at));
            case SNAPSHOT -> new Snapshot(b.getInt(at + Body.SNAPSHOT_PIECE), b.getInt(at + Body.SNAPSHOT_PIECES));
            case DIVERGED -> new Diverged(job, b.getLong(at + Body.DIVERGED_COUNT));
        };
    }

    static Arrival arrival(ByteBuffer b, int at) {
        int form = b.get(at + Body.ARRIVAL_FORM);
        Receipt receipt = isDelivered(b, at) ? new Receipt(b.getInt(at + Body.ARRIVAL_INCARNATION),
                b.getLong(at + Body.ARRIVAL_NUMBER), b.getLong(at + Body.ARRIVAL_ORDINAL)) : null;
        return new Arrival(b.getLong(at + RecordEnvelope.JOB), b.getInt(at + RecordEnvelope.RANK), b.getInt(at + Body.ARRIVAL_CONTEXT),
                b.getInt(at + Body.ARRIVAL_SOURCE), b.getInt(at + Body.ARRIVAL_TAG), b.getLong(at + Body.ARRIVAL_SEQUENCE),
                b.get(at + Body.ARRIVAL_DATATYPE) & 0xFF, b.getInt(at + Body.ARRIVAL_ELEMENTS), b.getLong(at + Body.ARRIVAL_LENGTH),
                Form.of(form & Body.FORM), (form & Body.STORABLE) != 0, receipt);
    }

    static Delivery delivery(ByteBuffer b, int at) {
        Receipt receipt = new Receipt(b.getInt(at + Body.DELIVERY_INCARNATION), b.getLong(at + Body.DELIVERY_NUMBER),
                b.getLong(at + Body.DELIVERY_ORDINAL));
        return new Delivery(b.getLong(at + RecordEnvelope.JOB), b.getInt(at + RecordEnvelope.RANK), receipt,
                b.getInt(at + Body.DELIVERY_CONTEXT), b.getInt(at + Body.DELIVERY_SOURCE), b.getLong(at + Body.DELIVERY_SEQUENCE),
                b.getLong(at + Body.DELIVERY_ARRIVAL), b.getLong(at + Body.DELIVERY_ARRIVAL_PLACE),
                b.getLong(at + Body.DELIVERY_LAST_PIECE_PLACE));
    }

    static Checkpoint checkpoint(ByteBuffer b, int at) {
        return new Checkpoint(b.getLong(at + Body.CHECKPOINT_NUMBER), b.getLong(at + Body.CHECKPOINT_BYTES),
                b.getLong(at + Body.CHECKPOINT_PIN), b.getLong(at + Body.CHECKPOINT_EVENTS),
                b.getLong(at + Body.CHECKPOINT_DELIVERIES), b.getLong(at + Body.CHECKPOINT_POLLS), b.getInt(at + Body.CHECKPOINT_CRC),
                (b.getInt(at + Body.CHECKPOINT_FLAGS) & Body.READY) != 0, b.getLong(at + Body.CHECKPOINT_OUT),
                b.getLong(at + Body.CHECKPOINT_ERR));
    }

    static UUID boot(ByteBuffer b, int at) {
        return new UUID(b.getLong(at + Body.STARTED_BOOT), b.getLong(at + Body.STARTED_BOOT + Long.BYTES));
    }

    /** For an ARRIVAL: whether a receive got the message at once. */
    static boolean isDelivered(ByteBuffer b, int at) {
        return (b.getShort(at + Body.ARRIVAL_FLAGS) & Body.DELIVERED) != 0;
    }

    /** For EVENTS: whether a replay is not promised from there on. */
    static boolean isLimited(ByteBuffer b, int at) {
        return (b.getInt(at + Body.EVENTS_FLAGS) & Body.LIMITED) != 0;
    }

    /** For FINALIZED: whether the rank is done. */
    static boolean isDone(ByteBuffer b, int at) {
        return (b.getInt(at + Body.FINALIZED_FLAGS) & Body.DONE) != 0;
    }

    static int payloadBytes(ByteBuffer b, int at) {
        return b.getInt(at + RecordEnvelope.PAYLOAD);
    }

    /** The CRC32C of the payload, as stored in the record; 0 if there is none. */
    static int payloadCrc(ByteBuffer b, int at) {
        RecordType type = type(b, at);
        return type.hasPayload() ? b.getInt(at + type.payloadCrc()) : 0;
    }

    /** The payload of the record that begins at this offset, as a read-only view. */
    static ByteBuffer payload(ByteBuffer b, int at) {
        int total = b.getInt(at + RecordEnvelope.TOTAL);
        int length = payloadBytes(b, at);
        return b.slice(at + total - length, length).asReadOnlyBuffer();
    }
}
