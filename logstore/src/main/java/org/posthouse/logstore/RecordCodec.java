package org.posthouse.logstore;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.posthouse.logstore.LogRecord.Arrival;
import org.posthouse.logstore.LogRecord.CheckpointTaken;
import org.posthouse.logstore.LogRecord.Delivery;
import org.posthouse.logstore.LogRecord.Diverged;
import org.posthouse.logstore.LogRecord.Events;
import org.posthouse.logstore.LogRecord.Finalized;
import org.posthouse.logstore.LogRecord.Incarnation;
import org.posthouse.logstore.LogRecord.JobClosed;
import org.posthouse.logstore.LogRecord.JobOpened;
import org.posthouse.logstore.LogRecord.Polls;
import org.posthouse.logstore.LogRecord.Pressing;
import org.posthouse.logstore.LogRecord.Receipt;
import org.posthouse.logstore.LogRecord.Withdrawn;
import org.posthouse.logstore.LogRecord.WriterStarted;

/**
 * Encodes a record as bytes; {@link RecordDecoder} decodes them. Encoding fills one reused head (envelope and body);
 * {@link #seal} then adds the hash chain and the checksums. Confined to its log's owner; allocates nothing.
 */
final class RecordCodec {
    /** Space for the envelope and the largest body. */
    static final int HEAD_BYTES_MAX = 160;

    private final ByteBuffer head = ByteBuffer.allocateDirect(HEAD_BYTES_MAX).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();
    private RecordType type;

    void arrival(Arrival a) {
        begin(RecordType.ARRIVAL, a.job(), a.rank());
        Receipt receipt = a.receipt();
        head.putInt(Body.ARRIVAL_CONTEXT, a.context()).putInt(Body.ARRIVAL_SOURCE, a.source()).putInt(Body.ARRIVAL_TAG, a.tag());
        head.putInt(Body.ARRIVAL_ELEMENTS, a.elements()).put(Body.ARRIVAL_DATATYPE, (byte) a.datatype());
        head.put(Body.ARRIVAL_FORM, (byte) (a.form().code() | (a.storable() ? Body.STORABLE : 0)));
        head.putShort(Body.ARRIVAL_FLAGS, (short) (receipt == null ? 0 : Body.DELIVERED));
        head.putLong(Body.ARRIVAL_SEQUENCE, a.sequence()).putLong(Body.ARRIVAL_LENGTH, a.length());
        head.putLong(Body.ARRIVAL_INCARNATION, receipt == null ? 0 : receipt.incarnation() & 0xFFFF_FFFFL);
        head.putLong(Body.ARRIVAL_NUMBER, receipt == null ? 0 : receipt.number());
        head.putLong(Body.ARRIVAL_ORDINAL, receipt == null ? 0 : receipt.ordinal());
    }

    void chunk(long job, int rank, long arrivalPosition, long offset, long previousPlace) {
        begin(RecordType.PAYLOAD_CHUNK, job, rank);
        head.putLong(Body.CHUNK_ARRIVAL, arrivalPosition).putLong(Body.CHUNK_OFFSET, offset);
        head.putLong(Body.CHUNK_PREVIOUS_PLACE, previousPlace).putLong(Body.CHUNK_PREVIOUS_PLACE + Long.BYTES, 0);
    }

    void delivery(Delivery d, long lastPiecePlace) {
        begin(RecordType.DELIVERY, d.job(), d.rank());
        head.putInt(Body.DELIVERY_INCARNATION, d.receipt().incarnation()).putInt(Body.DELIVERY_CONTEXT, d.context());
        head.putLong(Body.DELIVERY_SOURCE, d.source() & 0xFFFF_FFFFL);
        head.putLong(Body.DELIVERY_NUMBER, d.receipt().number()).putLong(Body.DELIVERY_ORDINAL, d.receipt().ordinal());
        head.putLong(Body.DELIVERY_SEQUENCE, d.sequence()).putLong(Body.DELIVERY_ARRIVAL, d.arrivalPosition());
        head.putLong(Body.DELIVERY_ARRIVAL_PLACE, d.arrivalPlace()).putLong(Body.DELIVERY_LAST_PIECE_PLACE, lastPiecePlace);
    }

    void pressing(Pressing record) {
        switch (record) {
            case Polls polls -> polls(polls);
            case JobClosed closed -> jobClosed(closed);
            case Incarnation incarnation -> incarnation(incarnation);
            case Finalized finalized -> finalized(finalized);
            case CheckpointTaken taken -> checkpoint(taken);
        }
    }

    private void polls(Polls p) {
        begin(RecordType.POLLS, p.job(), p.rank());
        head.putLong(Body.POLLS_INCARNATION, p.incarnation() & 0xFFFF_FFFFL).putLong(Body.POLLS_CUMULATIVE, p.cumulative());
    }

    void jobOpened(JobOpened j) {
        begin(RecordType.JOB_OPENED, j.job(), j.rank());
        head.putInt(Body.OPENED_SIZE, j.size()).putInt(Body.OPENED_DURABILITY, j.durability());
        head.putLong(Body.OPENED_DURABILITY + Integer.BYTES, 0);
    }

    private void jobClosed(JobClosed j) {
        begin(RecordType.JOB_CLOSED, j.job(), j.rank());
        head.putLong(Body.CLOSED_STATUS, j.status() & 0xFFFF_FFFFL);
    }

    void writerStarted(WriterStarted w) {
        begin(RecordType.WRITER_STARTED, w.job(), w.rank());
        head.putLong(Body.STARTED_WALL_TIME, w.wallTimeMs()).putLong(Body.STARTED_PID, w.pid());
        head.putLong(Body.STARTED_BOOT, w.boot().getMostSignificantBits());
        head.putLong(Body.STARTED_BOOT + Long.BYTES, w.boot().getLeastSignificantBits());
        head.putLong(Body.STARTED_RELAY_EPOCH, w.relayEpoch());
    }

    void events(Events e) {
        begin(RecordType.EVENTS, e.job(), e.rank());
        head.putInt(Body.EVENTS_INCARNATION, e.incarnation()).putInt(Body.EVENTS_COUNT, e.count());
        head.putLong(Body.EVENTS_FIRST, e.first()).putInt(Body.EVENTS_FLAGS, e.limited() ? Body.LIMITED : 0);
    }

    private void incarnation(Incarnation i) {
        begin(RecordType.INCARNATION, i.job(), i.rank());
        head.putInt(Body.INCARNATION_NUMBER, i.incarnation()).putInt(Body.INCARNATION_START, i.start());
        head.putLong(Body.INCARNATION_IMAGE, i.image());
    }

    void withdrawn(Withdrawn w) {
        begin(RecordType.WITHDRAWN, w.job(), w.rank());
        head.putInt(Body.WITHDRAWN_CONTEXT, w.context()).putInt(Body.WITHDRAWN_SOURCE, w.source());
        head.putLong(Body.WITHDRAWN_SEQUENCE, w.sequence()).putLong(Body.WITHDRAWN_ARRIVAL, w.arrivalPosition());
    }

    private void finalized(Finalized f) {
        begin(RecordType.FINALIZED, f.job(), f.rank());
        head.putInt(Body.FINALIZED_INCARNATION, f.incarnation()).putInt(Body.FINALIZED_FLAGS, f.done() ? Body.DONE : 0);
    }

    private void checkpoint(CheckpointTaken taken) {
        begin(RecordType.CHECKPOINT_TAKEN, taken.job(), taken.rank());
        Checkpoint c = taken.checkpoint();
        head.putLong(Body.CHECKPOINT_NUMBER, c.number()).putLong(Body.CHECKPOINT_BYTES, c.bytes()).putLong(Body.CHECKPOINT_PIN, c.pin());
        head.putLong(Body.CHECKPOINT_EVENTS, c.events()).putLong(Body.CHECKPOINT_DELIVERIES, c.deliveries());
        head.putLong(Body.CHECKPOINT_POLLS, c.polls()).putInt(Body.CHECKPOINT_CRC, c.imageCrc());
        head.putInt(Body.CHECKPOINT_FLAGS, c.ready() ? Body.READY : 0);
        head.putLong(Body.CHECKPOINT_OUT, c.out()).putLong(Body.CHECKPOINT_ERR, c.err());
    }

    void snapshot(int piece, int pieces, int file) {
        begin(RecordType.SNAPSHOT, LogRecord.NO_JOB, LogRecord.NO_RANK);
        head.putInt(Body.SNAPSHOT_PIECE, piece).putInt(Body.SNAPSHOT_PIECES, pieces);
        head.putInt(Body.SNAPSHOT_PIECES + Integer.BYTES, 0).putInt(Body.SNAPSHOT_FILE, file);
    }

    void diverged(Diverged d) {
        begin(RecordType.DIVERGED, d.job(), d.rank());
        head.putLong(Body.DIVERGED_COUNT, d.count()).putLong(Body.DIVERGED_COUNT + Long.BYTES, 0);
    }

    private void begin(RecordType begun, long job, int rank) {
        type = begun;
        head.clear();
        head.putShort(RecordEnvelope.MAGIC, RecordEnvelope.MAGIC_VALUE).put(RecordEnvelope.VERSION, RecordEnvelope.VERSION_VALUE);
        head.put(RecordEnvelope.TYPE, begun.id()).putInt(RecordEnvelope.RANK, rank).putLong(RecordEnvelope.JOB, job);
        head.limit(begun.headBytes());
    }

    /**
     * Completes the head for its place in the chain. The positions and limits of the payload's buffers do not change.
     *
     * @return the checksum, which the next record carries as its previous hash
     */
    int seal(long position, long epoch, int previous, ByteBuffer[] payload, int payloadBytes) {
        if (type.hasPayload()) {
            head.putInt(type.payloadCrc(), checksum(payload));
        }
        head.putInt(RecordEnvelope.TOTAL, head.limit() + payloadBytes).putLong(RecordEnvelope.POSITION, position);
        head.putLong(RecordEnvelope.EPOCH, epoch).putInt(RecordEnvelope.PREVIOUS, previous).putInt(RecordEnvelope.PAYLOAD, payloadBytes);
        crc.reset();
        crc.update(head.position(RecordEnvelope.MAGIC));
        head.position(0).putInt(RecordEnvelope.CRC, (int) crc.getValue());
        return (int) crc.getValue();
    }

    private int checksum(ByteBuffer[] payload) {
        crc.reset();
        for (ByteBuffer piece : payload) {
            int start = piece.position();
            crc.update(piece);
            piece.position(start);
        }
        return (int) crc.getValue();
    }

    /** Envelope and body of the sealed record, from position to limit; valid until the next encoding. */
    ByteBuffer head() {
        return head;
    }
}
