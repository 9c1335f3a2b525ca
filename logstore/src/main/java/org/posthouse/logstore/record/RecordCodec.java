package org.posthouse.logstore.record;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.posthouse.logstore.record.LogRecord.Agreed;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.LogRecord.CheckpointTaken;
import org.posthouse.logstore.record.LogRecord.Delivery;
import org.posthouse.logstore.record.LogRecord.Diverged;
import org.posthouse.logstore.record.LogRecord.Events;
import org.posthouse.logstore.record.LogRecord.Failed;
import org.posthouse.logstore.record.LogRecord.Finalized;
import org.posthouse.logstore.record.LogRecord.Incarnation;
import org.posthouse.logstore.record.LogRecord.JobClosed;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.LogRecord.Polls;
import org.posthouse.logstore.record.LogRecord.Pressing;
import org.posthouse.logstore.record.LogRecord.Receipt;
import org.posthouse.logstore.record.LogRecord.Withdrawn;
import org.posthouse.logstore.record.LogRecord.WriterStarted;

/**
 * Encodes a record as bytes; {@link RecordDecoder} decodes them. Encoding fills one reused head (envelope and body);
 * {@link #seal} then adds the hash chain and the checksums. Confined to its log's owner; allocates nothing.
 */
public final class RecordCodec {
    /** Space for the envelope and the largest body. */
    public static final int HEAD_BYTES_MAX = 160;

    private final ByteBuffer head = ByteBuffer.allocateDirect(HEAD_BYTES_MAX).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();
    private RecordType type;

    public void arrival(Arrival a) {
        begin(RecordType.ARRIVAL, a.job(), a.rank());
        Receipt receipt = a.receipt();
        head.putInt(RecordLayout.ARRIVAL_CONTEXT, a.context()).putInt(RecordLayout.ARRIVAL_SOURCE, a.source()).putInt(RecordLayout.ARRIVAL_TAG, a.tag());
        head.putInt(RecordLayout.ARRIVAL_ELEMENTS, a.elements()).put(RecordLayout.ARRIVAL_DATATYPE, (byte) a.datatype());
        head.put(RecordLayout.ARRIVAL_FORM, (byte) (a.form().code() | (a.storable() ? RecordLayout.STORABLE : 0)));
        head.putShort(RecordLayout.ARRIVAL_FLAGS, (short) (receipt == null ? 0 : RecordLayout.DELIVERED));
        head.putLong(RecordLayout.ARRIVAL_SEQUENCE, a.sequence()).putLong(RecordLayout.ARRIVAL_LENGTH, a.length());
        head.putLong(RecordLayout.ARRIVAL_INCARNATION, receipt == null ? 0 : receipt.incarnation() & 0xFFFF_FFFFL);
        head.putLong(RecordLayout.ARRIVAL_NUMBER, receipt == null ? 0 : receipt.number());
        head.putLong(RecordLayout.ARRIVAL_ORDINAL, receipt == null ? 0 : receipt.ordinal());
    }

    public void chunk(long job, int rank, long arrivalPosition, long offset, long previousPlace) {
        begin(RecordType.PAYLOAD_CHUNK, job, rank);
        head.putLong(RecordLayout.CHUNK_ARRIVAL, arrivalPosition).putLong(RecordLayout.CHUNK_OFFSET, offset);
        head.putLong(RecordLayout.CHUNK_PREVIOUS_PLACE, previousPlace).putLong(RecordLayout.CHUNK_PREVIOUS_PLACE + Long.BYTES, 0);
    }

    public void delivery(Delivery d, long lastPiecePlace) {
        begin(RecordType.DELIVERY, d.job(), d.rank());
        head.putInt(RecordLayout.DELIVERY_INCARNATION, d.receipt().incarnation()).putInt(RecordLayout.DELIVERY_CONTEXT, d.context());
        head.putLong(RecordLayout.DELIVERY_SOURCE, d.source() & 0xFFFF_FFFFL);
        head.putLong(RecordLayout.DELIVERY_NUMBER, d.receipt().number()).putLong(RecordLayout.DELIVERY_ORDINAL, d.receipt().ordinal());
        head.putLong(RecordLayout.DELIVERY_SEQUENCE, d.sequence()).putLong(RecordLayout.DELIVERY_ARRIVAL, d.arrivalPosition());
        head.putLong(RecordLayout.DELIVERY_ARRIVAL_PLACE, d.arrivalPlace()).putLong(RecordLayout.DELIVERY_LAST_PIECE_PLACE, lastPiecePlace);
    }

    public void pressing(Pressing record) {
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
        head.putLong(RecordLayout.POLLS_INCARNATION, p.incarnation() & 0xFFFF_FFFFL).putLong(RecordLayout.POLLS_CUMULATIVE, p.cumulative());
    }

    public void jobOpened(JobOpened j) {
        begin(RecordType.JOB_OPENED, j.job(), j.rank());
        head.putInt(RecordLayout.OPENED_SIZE, j.size()).putInt(RecordLayout.OPENED_DURABILITY, j.durability());
        head.putLong(RecordLayout.OPENED_DURABILITY + Integer.BYTES, 0);
    }

    private void jobClosed(JobClosed j) {
        begin(RecordType.JOB_CLOSED, j.job(), j.rank());
        head.putLong(RecordLayout.CLOSED_STATUS, j.status() & 0xFFFF_FFFFL);
    }

    public void writerStarted(WriterStarted w) {
        begin(RecordType.WRITER_STARTED, w.job(), w.rank());
        head.putLong(RecordLayout.STARTED_WALL_TIME, w.wallTimeMs()).putLong(RecordLayout.STARTED_PID, w.pid());
        head.putLong(RecordLayout.STARTED_BOOT, w.boot().getMostSignificantBits());
        head.putLong(RecordLayout.STARTED_BOOT + Long.BYTES, w.boot().getLeastSignificantBits());
        head.putLong(RecordLayout.STARTED_RELAY_EPOCH, w.relayEpoch());
    }

    public void events(Events e) {
        begin(RecordType.EVENTS, e.job(), e.rank());
        head.putInt(RecordLayout.EVENTS_INCARNATION, e.incarnation()).putInt(RecordLayout.EVENTS_COUNT, e.count());
        head.putLong(RecordLayout.EVENTS_FIRST, e.first()).putInt(RecordLayout.EVENTS_FLAGS, e.limited() ? RecordLayout.LIMITED : 0);
    }

    private void incarnation(Incarnation i) {
        begin(RecordType.INCARNATION, i.job(), i.rank());
        head.putInt(RecordLayout.INCARNATION_NUMBER, i.incarnation()).putInt(RecordLayout.INCARNATION_START, i.start());
        head.putLong(RecordLayout.INCARNATION_IMAGE, i.image());
    }

    public void withdrawn(Withdrawn w) {
        begin(RecordType.WITHDRAWN, w.job(), w.rank());
        head.putInt(RecordLayout.WITHDRAWN_CONTEXT, w.context()).putInt(RecordLayout.WITHDRAWN_SOURCE, w.source());
        head.putLong(RecordLayout.WITHDRAWN_SEQUENCE, w.sequence()).putLong(RecordLayout.WITHDRAWN_ARRIVAL, w.arrivalPosition());
    }

    private void finalized(Finalized f) {
        begin(RecordType.FINALIZED, f.job(), f.rank());
        head.putInt(RecordLayout.FINALIZED_INCARNATION, f.incarnation()).putInt(RecordLayout.FINALIZED_FLAGS, f.done() ? RecordLayout.DONE : 0);
    }

    private void checkpoint(CheckpointTaken taken) {
        begin(RecordType.CHECKPOINT_TAKEN, taken.job(), taken.rank());
        Checkpoint c = taken.checkpoint();
        head.putLong(RecordLayout.CHECKPOINT_NUMBER, c.number()).putLong(RecordLayout.CHECKPOINT_BYTES, c.bytes()).putLong(RecordLayout.CHECKPOINT_PIN,
                c.pin());
        head.putLong(RecordLayout.CHECKPOINT_EVENTS, c.events()).putLong(RecordLayout.CHECKPOINT_DELIVERIES, c.deliveries());
        head.putLong(RecordLayout.CHECKPOINT_POLLS, c.polls()).putInt(RecordLayout.CHECKPOINT_CRC, c.imageCrc());
        head.putInt(RecordLayout.CHECKPOINT_FLAGS, c.ready() ? RecordLayout.READY : 0);
        head.putLong(RecordLayout.CHECKPOINT_OUT, c.out()).putLong(RecordLayout.CHECKPOINT_ERR, c.err());
    }

    public void snapshot(int piece, int pieces, int file) {
        begin(RecordType.SNAPSHOT, LogRecord.NO_JOB, LogRecord.NO_RANK);
        head.putInt(RecordLayout.SNAPSHOT_PIECE, piece).putInt(RecordLayout.SNAPSHOT_PIECES, pieces);
        head.putInt(RecordLayout.SNAPSHOT_PIECES + Integer.BYTES, 0).putInt(RecordLayout.SNAPSHOT_FILE, file);
    }

    public void diverged(Diverged d) {
        begin(RecordType.DIVERGED, d.job(), d.rank());
        head.putLong(RecordLayout.DIVERGED_COUNT, d.count()).putLong(RecordLayout.DIVERGED_COUNT + Long.BYTES, 0);
    }

    public void failed(Failed f) {
        begin(RecordType.FAILED, f.job(), f.rank());
        head.putLong(RecordEnvelope.BYTES, 0);
    }

    public void agreed(Agreed a) {
        begin(RecordType.AGREED, a.job(), a.rank());
        head.putLong(RecordEnvelope.BYTES, 0);
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
    public int seal(long position, long epoch, int previous, ByteBuffer[] payload, int payloadBytes) {
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
    public ByteBuffer head() {
        return head;
    }
}
