package org.posthouse.logstore;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.posthouse.logstore.LogRecord.Arrival;
import org.posthouse.logstore.LogRecord.Chunk;
import org.posthouse.logstore.LogRecord.Delivery;
import org.posthouse.logstore.LogRecord.JobClosed;
import org.posthouse.logstore.LogRecord.JobOpened;
import org.posthouse.logstore.LogRecord.Polls;
import org.posthouse.logstore.LogRecord.WriterStarted;

/**
 * Turns a record into bytes and back. Encoding fills one reused head (envelope and body); {@link #seal} then adds the
 * chain and the checksum. An encoder is confined to its log's owner and allocates nothing; decoding is stateless.
 */
final class RecordCodec {
    private final ByteBuffer head = ByteBuffer.allocateDirect(128).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();

    void arrival(Arrival a) {
        begin(RecordType.ARRIVAL, a.job(), a.rank());
        head.putInt(a.context()).putInt(a.source()).putInt(a.tag()).putInt(a.datatype()).putInt(a.elements()).putInt(0);
        head.putLong(a.sequence()).putLong(a.length());
    }

    void chunk(long job, int rank, long arrivalPosition, long offset) {
        begin(RecordType.PAYLOAD_CHUNK, job, rank);
        head.putLong(arrivalPosition).putLong(offset);
    }

    void delivery(Delivery d) {
        begin(RecordType.DELIVERY, d.job(), d.rank());
        head.putInt(d.incarnation()).putInt(d.context()).putInt(d.source()).putInt(0);
        head.putLong(d.number()).putLong(d.failedPolls()).putLong(d.sequence()).putLong(d.arrivalPosition());
    }

    void polls(Polls p) {
        begin(RecordType.POLLS, p.job(), p.rank());
        head.putInt(p.incarnation()).putInt(0).putLong(p.count());
    }

    void jobOpened(JobOpened j) {
        begin(RecordType.JOB_OPENED, j.job(), j.rank());
        head.putInt(j.size()).putInt(0);
    }

    void jobClosed(JobClosed j) {
        begin(RecordType.JOB_CLOSED, j.job(), j.rank());
    }

    void writerStarted(WriterStarted w) {
        begin(RecordType.WRITER_STARTED, w.job(), w.rank());
        head.putLong(w.wallTimeMs()).putLong(w.pid());
        head.putLong(w.boot().getMostSignificantBits()).putLong(w.boot().getLeastSignificantBits());
    }

    private void begin(RecordType type, long job, int rank) {
        head.clear();
        head.putShort(Envelope.MAGIC, Envelope.MAGIC_VALUE).put(Envelope.VERSION, Envelope.VERSION_VALUE);
        head.put(Envelope.TYPE, type.id()).putInt(Envelope.RANK, rank).putLong(Envelope.JOB, job);
        head.position(Envelope.BYTES);
    }

    /**
     * Completes the head for this place in the chain. The payload's buffers keep their positions and limits.
     *
     * @return the checksum, which the next record carries as its previous
     */
    int seal(long position, long epoch, int previous, ByteBuffer[] payload, int payloadBytes) {
        head.putInt(Envelope.TOTAL, head.position() + payloadBytes).putLong(Envelope.POSITION, position);
        head.putLong(Envelope.EPOCH, epoch).putInt(Envelope.PREVIOUS, previous).putInt(Envelope.PAYLOAD, payloadBytes);
        head.flip().position(Envelope.MAGIC);
        crc.reset();
        crc.update(head);
        for (ByteBuffer piece : payload) {
            int start = piece.position();
            crc.update(piece);
            piece.position(start);
        }
        head.position(0).putInt(Envelope.CRC, (int) crc.getValue());
        return (int) crc.getValue();
    }

    /** Envelope and body of the sealed record, from position to limit; valid until the next encoding. */
    ByteBuffer head() {
        return head;
    }

    /** The record that begins at this offset of a little endian buffer; it has passed {@link Envelope#flaw}. */
    static LogRecord decode(ByteBuffer b, int at) {
        long job = b.getLong(at + Envelope.JOB);
        int rank = b.getInt(at + Envelope.RANK);
        int body = at + Envelope.BYTES;
        return switch (RecordType.of(b.get(at + Envelope.TYPE))) {
            case ARRIVAL -> new Arrival(job, rank, b.getInt(body), b.getInt(body + 4), b.getInt(body + 8),
                    b.getLong(body + 24), b.getInt(body + 12), b.getInt(body + 16), b.getLong(body + 32));
            case PAYLOAD_CHUNK -> new Chunk(job, rank, b.getLong(body), b.getLong(body + 8));
            case DELIVERY -> new Delivery(job, rank, b.getInt(body), b.getLong(body + 16), b.getLong(body + 24),
                    b.getInt(body + 4), b.getInt(body + 8), b.getLong(body + 32), b.getLong(body + 40));
            case POLLS -> new Polls(job, rank, b.getInt(body), b.getLong(body + 8));
            case JOB_OPENED -> new JobOpened(job, b.getInt(body),
                    StandardCharsets.UTF_8.decode(payload(b, at)).toString());
            case JOB_CLOSED -> new JobClosed(job);
            case WRITER_STARTED -> new WriterStarted(b.getLong(body), b.getLong(body + 8),
                    new UUID(b.getLong(body + 16), b.getLong(body + 24)));
        };
    }

    /** The payload of the record that begins at this offset, as a read-only view. */
    static ByteBuffer payload(ByteBuffer b, int at) {
        int total = b.getInt(at + Envelope.TOTAL);
        int length = b.getInt(at + Envelope.PAYLOAD);
        return b.slice(at + total - length, length).asReadOnlyBuffer();
    }
}
