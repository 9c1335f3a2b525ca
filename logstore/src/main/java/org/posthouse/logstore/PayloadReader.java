package org.posthouse.logstore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Collection;
import java.util.function.IntFunction;
import java.util.zip.CRC32C;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.MappedQueueFile;
import org.posthouse.logstore.file.QueueFileCache;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.record.RecordCodec;
import org.posthouse.logstore.record.RecordDecoder;
import org.posthouse.logstore.record.RecordEnvelope;
import org.posthouse.logstore.record.RecordLayout;
import org.posthouse.logstore.record.RecordPosition;
import org.posthouse.logstore.record.RecordType;

/**
 * Reads payload back from a log that is being written, one record at a time. A record is found by the place that
 * {@link MessageLog#place()} returned when it was appended. Confined to its user, which may be another thread than the
 * log's owner. The reader shares only files with the log, and published bytes never change.
 *
 * <p>It reads the files as {@link MappedQueueFile} does, without Chronicle, whose tailer would have to search for a
 * record out of sequence. It checks each record before use: checksum, lengths and identity. Nothing is allocated for a
 * record.
 */
public final class PayloadReader implements AutoCloseable {
    private final IntFunction<Path> named;
    private final QueueFileCache files;
    private final ByteBuffer head = ByteBuffer.allocateDirect(RecordCodec.HEAD_BYTES_MAX).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();

    PayloadReader(Path folder) {
        this(number -> QueueFiles.file(folder, number));
    }

    /** @param named maps a file's number to its path */
    PayloadReader(IntFunction<Path> named) {
        this.named = named;
        this.files = new QueueFileCache(named);
    }

    /**
     * Reads the inline payload of an arrival's record.
     *
     * @param position what {@link MessageLog#appendArrival} returned
     * @param place what {@link MessageLog#place()} returned then
     * @param payload is filled to its limit; its remaining bytes must equal those appended
     * @throws LogException naming file and position if the record is damaged or a different one; the payload is then
     *         invalid
     */
    public void readArrival(long job, int rank, long position, long place, ByteBuffer payload) {
        verify(RecordType.ARRIVAL, position, place, payload);
        requireSame(job, rank, head.getLong(RecordEnvelope.POSITION) == position, position, place);
    }

    /**
     * Reads a further piece of a message's payload, as {@link #readArrival} does.
     *
     * @param arrivalPosition of the message
     * @param offset of the piece in the whole payload, bytes
     * @param place what {@link MessageLog#place()} returned after {@link MessageLog#appendChunk}
     */
    public void readChunk(long job, int rank, long arrivalPosition, long offset, long place, ByteBuffer payload) {
        verify(RecordType.PAYLOAD_CHUNK, arrivalPosition, place, payload);
        boolean same = head.getLong(RecordLayout.CHUNK_ARRIVAL) == arrivalPosition && head.getLong(RecordLayout.CHUNK_OFFSET) == offset;
        requireSame(job, rank, same, arrivalPosition, place);
    }

    /**
     * Reads the whole payload of an arrival or a piece, whatever its length.
     *
     * @param arrivalPosition of the message
     */
    ByteBuffer readWhole(RecordType type, long job, int rank, long arrivalPosition, long place) {
        ByteBuffer payload = ByteBuffer.allocate(readHead(type, job, rank, arrivalPosition, place).getInt(RecordEnvelope.PAYLOAD));
        int named = type == RecordType.ARRIVAL ? RecordEnvelope.POSITION : RecordLayout.CHUNK_ARRIVAL;
        requireArrival(arrivalPosition, named, place);
        verify(type, arrivalPosition, place, payload);
        return payload.flip();
    }

    /**
     * Reads envelope and body into {@link #head} and the rest into {@code payload}, and checks the record by itself.
     */
    private void verify(RecordType type, long position, long place, ByteBuffer payload) {
        int start = payload.position();
        int headBytes = type.headBytes();
        try {
            files.read(RecordPosition.file(place), RecordPosition.offset(place), head.clear().limit(headBytes));
            String flaw = RecordEnvelope.headFlaw(head, 0, headBytes + payload.remaining());
            if (flaw == null) {
                flaw = RecordEnvelope.headCrcFlaw(head, 0, crc);
            }
            if (flaw == null && payload.hasRemaining()) {
                files.read(RecordPosition.file(place), RecordPosition.offset(place) + headBytes, payload);
                flaw = RecordEnvelope.payloadCrcFlaw(head, 0, checksum(payload.position(start)));
            }
            requireFlawless(flaw, position, place);
        } catch (IOException e) {
            throw unreadable(position, place, e);
        }
    }

    private int checksum(ByteBuffer payload) {
        crc.reset();
        crc.update(payload);
        return (int) crc.getValue();
    }

    /**
     * Reads the envelope and the body of a record, whatever its payload.
     *
     * @param position of the record, or of a piece's arrival; named in failures
     * @return the head, beginning at 0; valid until the next call
     */
    ByteBuffer readHead(RecordType type, long job, int rank, long position, long place) {
        try {
            files.read(RecordPosition.file(place), RecordPosition.offset(place), head.clear().limit(type.headBytes()));
        } catch (IOException e) {
            throw unreadable(position, place, e);
        }
        String flaw = RecordEnvelope.headFlaw(head, 0, head.getInt(RecordEnvelope.TOTAL));
        requireFlawless(flaw, position, place);
        requireSame(job, rank, RecordDecoder.type(head, 0) == type, position, place);
        requireFlawless(RecordEnvelope.headCrcFlaw(head, 0, crc), position, place);
        return head;
    }

    /** Checks that the head that was read last names this arrival, in the field at {@code at}. */
    void requireArrival(long arrivalPosition, int at, long place) {
        requireSame(head.getLong(RecordEnvelope.JOB), head.getInt(RecordEnvelope.RANK), head.getLong(at) == arrivalPosition,
                arrivalPosition, place);
    }

    private LogException unreadable(long position, long place, IOException e) {
        return new LogException(file(place), position, "cannot be read back at offset " + RecordPosition.offset(place) + ": " + LogException.words(e),
                "check the disk and the folder's rights", e);
    }

    private void requireSame(long job, int rank, boolean same, long position, long place) {
        if (!same || head.getLong(RecordEnvelope.JOB) != job || head.getInt(RecordEnvelope.RANK) != rank) {
            requireFlawless(String.format(
                    "is another: %s at position %d of job %016x rank %d, expected one of job %016x rank %d",
                    RecordType.of(head.get(RecordEnvelope.TYPE)), head.getLong(RecordEnvelope.POSITION), head.getLong(RecordEnvelope.JOB),
                    head.getInt(RecordEnvelope.RANK), job, rank), position, place);
        }
    }

    private void requireFlawless(String flaw, long position, long place) {
        if (flaw != null) {
            throw new LogException(file(place), position,
                    "is damaged: the record at offset " + RecordPosition.offset(place) + " " + flaw,
                    "restore the folder from a copy, or move it away to begin a new log and lose what it holds", null);
        }
    }

    private Path file(long place) {
        return named.apply(RecordPosition.file(place));
    }

    /** Closes these files, which were {@linkplain MessageLog#cut cut} and are not read any more. */
    public void forget(Collection<Path> gone) {
        try {
            files.close(gone);
        } catch (IOException e) {
            throw notClosed(e);
        }
    }

    /** Closes the files. */
    @Override
    public void close() {
        try {
            files.close();
        } catch (IOException e) {
            throw notClosed(e);
        }
    }

    private LogException notClosed(IOException e) {
        return new LogException(named.apply(0), "cannot be closed: " + LogException.words(e), "check the disk", e);
    }
}
