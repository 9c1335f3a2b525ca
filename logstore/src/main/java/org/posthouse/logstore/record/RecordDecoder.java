package org.posthouse.logstore.record;

import java.nio.ByteBuffer;
import java.util.UUID;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.LogRecord.CheckpointTaken;
import org.posthouse.logstore.record.LogRecord.Chunk;
import org.posthouse.logstore.record.LogRecord.Delivery;
import org.posthouse.logstore.record.LogRecord.Diverged;
import org.posthouse.logstore.record.LogRecord.Events;
import org.posthouse.logstore.record.LogRecord.Finalized;
import org.posthouse.logstore.record.LogRecord.Form;
import org.posthouse.logstore.record.LogRecord.Incarnation;
import org.posthouse.logstore.record.LogRecord.JobClosed;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.LogRecord.Polls;
import org.posthouse.logstore.record.LogRecord.Receipt;
import org.posthouse.logstore.record.LogRecord.Snapshot;
import org.posthouse.logstore.record.LogRecord.Withdrawn;
import org.posthouse.logstore.record.LogRecord.WriterStarted;

/**
 * Decodes records that {@link RecordCodec} wrote and that passed {@link RecordEnvelope#flaw}, in a little-endian
 * buffer. Stateless.
 */
public final class RecordDecoder {
    private RecordDecoder() {}

    public static RecordType type(ByteBuffer b, int at) {
        return RecordType.of(b.get(at + RecordEnvelope.TYPE));
    }

    /** The record that begins at this offset. */
    public static LogRecord decode(ByteBuffer b, int at) {
        long job = b.getLong(at + RecordEnvelope.JOB);
        int rank = b.getInt(at + RecordEnvelope.RANK);
        return switch (type(b, at)) {
            case ARRIVAL -> arrival(b, at);
            case PAYLOAD_CHUNK -> new Chunk(job, rank, b.getLong(at + RecordLayout.CHUNK_ARRIVAL), b.getLong(at + RecordLayout.CHUNK_OFFSET),
                    b.getLong(at + RecordLayout.CHUNK_PREVIOUS_PLACE));
            case DELIVERY -> delivery(b, at);
            case POLLS -> new Polls(job, rank, b.getInt(at + RecordLayout.POLLS_INCARNATION), b.getLong(at + RecordLayout.POLLS_CUMULATIVE));
            case JOB_OPENED -> new JobOpened(job, b.getInt(at + RecordLayout.OPENED_SIZE), b.getInt(at + RecordLayout.OPENED_DURABILITY));
            case JOB_CLOSED -> new JobClosed(job, b.getInt(at + RecordLayout.CLOSED_STATUS));
            case WRITER_STARTED -> new WriterStarted(b.getLong(at + RecordLayout.STARTED_WALL_TIME), b.getLong(at + RecordLayout.STARTED_PID),
                    boot(b, at), b.getLong(at + RecordLayout.STARTED_RELAY_EPOCH));
            case EVENTS -> new Events(job, rank, b.getInt(at + RecordLayout.EVENTS_INCARNATION), b.getInt(at + RecordLayout.EVENTS_COUNT),
                    b.getLong(at + RecordLayout.EVENTS_FIRST), isLimited(b, at));
            case INCARNATION -> new Incarnation(job, rank, b.getInt(at + RecordLayout.INCARNATION_NUMBER),
                    b.getInt(at + RecordLayout.INCARNATION_START), b.getLong(at + RecordLayout.INCARNATION_IMAGE));
            case WITHDRAWN -> new Withdrawn(job, rank, b.getInt(at + RecordLayout.WITHDRAWN_CONTEXT), b.getInt(at + RecordLayout.WITHDRAWN_SOURCE),
                    b.getLong(at + RecordLayout.WITHDRAWN_SEQUENCE), b.getLong(at + RecordLayout.WITHDRAWN_ARRIVAL));
            case FINALIZED -> new Finalized(job, rank, b.getInt(at + RecordLayout.FINALIZED_INCARNATION), isDone(b, at));
            case CHECKPOINT_TAKEN -> new CheckpointTaken(job, rank, checkpoint(b, at));
            case SNAPSHOT -> new Snapshot(b.getInt(at + RecordLayout.SNAPSHOT_PIECE), b.getInt(at + RecordLayout.SNAPSHOT_PIECES));
            case FAILED -> new LogRecord.Failed(job, rank);
            case AGREED -> new LogRecord.Agreed(job);
            case DIVERGED -> new Diverged(job, b.getLong(at + RecordLayout.DIVERGED_COUNT));
        };
    }

    public static Arrival arrival(ByteBuffer b, int at) {
        int form = b.get(at + RecordLayout.ARRIVAL_FORM);
        Receipt receipt = isDelivered(b, at) ? new Receipt(b.getInt(at + RecordLayout.ARRIVAL_INCARNATION),
                b.getLong(at + RecordLayout.ARRIVAL_NUMBER), b.getLong(at + RecordLayout.ARRIVAL_ORDINAL)) : null;
        return new Arrival(b.getLong(at + RecordEnvelope.JOB), b.getInt(at + RecordEnvelope.RANK), b.getInt(at + RecordLayout.ARRIVAL_CONTEXT),
                b.getInt(at + RecordLayout.ARRIVAL_SOURCE), b.getInt(at + RecordLayout.ARRIVAL_TAG), b.getLong(at + RecordLayout.ARRIVAL_SEQUENCE),
                b.get(at + RecordLayout.ARRIVAL_DATATYPE) & 0xFF, b.getInt(at + RecordLayout.ARRIVAL_ELEMENTS), b.getLong(at + RecordLayout.ARRIVAL_LENGTH),
                Form.of(form & RecordLayout.FORM), (form & RecordLayout.STORABLE) != 0, receipt);
    }

    public static Delivery delivery(ByteBuffer b, int at) {
        Receipt receipt = new Receipt(b.getInt(at + RecordLayout.DELIVERY_INCARNATION), b.getLong(at + RecordLayout.DELIVERY_NUMBER),
                b.getLong(at + RecordLayout.DELIVERY_ORDINAL));
        return new Delivery(b.getLong(at + RecordEnvelope.JOB), b.getInt(at + RecordEnvelope.RANK), receipt,
                b.getInt(at + RecordLayout.DELIVERY_CONTEXT), b.getInt(at + RecordLayout.DELIVERY_SOURCE), b.getLong(at + RecordLayout.DELIVERY_SEQUENCE),
                b.getLong(at + RecordLayout.DELIVERY_ARRIVAL), b.getLong(at + RecordLayout.DELIVERY_ARRIVAL_PLACE),
                b.getLong(at + RecordLayout.DELIVERY_LAST_PIECE_PLACE));
    }

    public static Checkpoint checkpoint(ByteBuffer b, int at) {
        return new Checkpoint(b.getLong(at + RecordLayout.CHECKPOINT_NUMBER), b.getLong(at + RecordLayout.CHECKPOINT_BYTES),
                b.getLong(at + RecordLayout.CHECKPOINT_PIN), b.getLong(at + RecordLayout.CHECKPOINT_EVENTS),
                b.getLong(at + RecordLayout.CHECKPOINT_DELIVERIES), b.getLong(at + RecordLayout.CHECKPOINT_POLLS), b.getInt(at + RecordLayout.CHECKPOINT_CRC),
                (b.getInt(at + RecordLayout.CHECKPOINT_FLAGS) & RecordLayout.READY) != 0, b.getLong(at + RecordLayout.CHECKPOINT_OUT),
                b.getLong(at + RecordLayout.CHECKPOINT_ERR));
    }

    public static UUID boot(ByteBuffer b, int at) {
        return new UUID(b.getLong(at + RecordLayout.STARTED_BOOT), b.getLong(at + RecordLayout.STARTED_BOOT + Long.BYTES));
    }

    /** For an ARRIVAL: whether a receive got the message at once. */
    public static boolean isDelivered(ByteBuffer b, int at) {
        return (b.getShort(at + RecordLayout.ARRIVAL_FLAGS) & RecordLayout.DELIVERED) != 0;
    }

    /** For EVENTS: whether a replay is not promised from there on. */
    public static boolean isLimited(ByteBuffer b, int at) {
        return (b.getInt(at + RecordLayout.EVENTS_FLAGS) & RecordLayout.LIMITED) != 0;
    }

    /** For FINALIZED: whether the rank is done. */
    public static boolean isDone(ByteBuffer b, int at) {
        return (b.getInt(at + RecordLayout.FINALIZED_FLAGS) & RecordLayout.DONE) != 0;
    }

    public static int payloadBytes(ByteBuffer b, int at) {
        return b.getInt(at + RecordEnvelope.PAYLOAD);
    }

    /** The CRC32C of the payload, as stored in the record; 0 if there is none. */
    public static int payloadCrc(ByteBuffer b, int at) {
        RecordType type = type(b, at);
        return type.hasPayload() ? b.getInt(at + type.payloadCrc()) : 0;
    }

    /** The payload of the record that begins at this offset, as a read-only view. */
    public static ByteBuffer payload(ByteBuffer b, int at) {
        int total = b.getInt(at + RecordEnvelope.TOTAL);
        int length = payloadBytes(b, at);
        return b.slice(at + total - length, length).asReadOnlyBuffer();
    }
}
