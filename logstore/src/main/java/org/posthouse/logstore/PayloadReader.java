package org.posthouse.logstore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Collection;
import java.util.function.IntFunction;
import java.util.zip.CRC32C;

/**
 * Reads payload back from a log that is being written, a record at a time, each found by the place that {@link
 * MessageLog#place()} gave when it was appended. Confined to its user, who may be another thread than the log's owner:
 * it shares nothing with the log but the files, and what was published there never changes.
 *
 * <p>It reads the files as {@link MappedQueueFile} does, without Chronicle, whose tailer would have to search for a
 * record that is not the next one. A record is checked before it is shown: checksum, lengths, and that it is the one
 * that was asked for. Nothing is allocated for a record.
 */
public final class PayloadReader implements AutoCloseable {
    private final IntFunction<Path> named;
    private final QueueFileCache files;
    private final ByteBuffer head = ByteBuffer.allocateDirect(RecordCodec.HEAD_BYTES_MAX).order(ByteOrder.LITTLE_ENDIAN);
    private final CRC32C crc = new CRC32C();

    PayloadReader(Path folder) {
        this(number -> QueueFiles.file(folder, number));
    }

    /** @param named the file with a number */
    PayloadReader(IntFunction<Path> named) {
        this.named = named;
        this.files = new QueueFileCache(named);
    }

    /**
     * Reads the payload that stands in an arrival's own record.
     *
     * @param position what {@link MessageLog#appendArrival} returned
     * @param place what {@link MessageLog#place()} said then
     * @param payload is filled to its limit; it has as many bytes remaining as were appended
     * @throws LogException naming file and position if the record is damaged or another; the payload is of no use then
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
     * @param place what {@link MessageLog#place()} said behind {@link MessageLog#appendChunk}
     */
    public void readChunk(long job, int rank, long arrivalPosition, long offset, long place, ByteBuffer payload) {
        verify(RecordType.PAYLOAD_CHUNK, arrivalPosition, place, payload);
        boolean same = head.getLong(Body.CHUNK_ARRIVAL) == arrivalPosition && head.getLong(Body.CHUNK_OFFSET) == offset;
        requireSame(job, rank, same, arrivalPosition, place);
    }

    /**
     * Reads the payload of an arrival or of a piece, as long as it is.
     *
     * @param arrivalPosition of the message
     */
    ByteBuffer readWhole(RecordType type, long job, int rank, long arrivalPosition, long place) {
        ByteBuffer payload = ByteBuffer.allocate(readHead(type, job, rank, arrivalPosition, place).getInt(RecordEnvelope.PAYLOAD));
        int named = type == RecordType.ARRIVAL ? RecordEnvelope.POSITION : Body.CHUNK_ARRIVAL;
        requireArrival(arrivalPosition, named, place);
        verify(type, arrivalPosition, place, payload);
        return payload.flip();
    }

    /** Reads the record: envelope and body into {@link #head}, the rest into {@code payload}; checks it by itself. */
    private void verify(RecordType type, long position, long place, ByteBuffer payload) {
        int start = payload.position();
        int headBytes = type.headBytes();
        try {
            files.read(Place.file(place), Place.offset(place), head.clear().limit(headBytes));
            String flaw = RecordEnvelope.headFlaw(head, 0, headBytes + payload.remaining());
            if (flaw == null) {
                flaw = RecordEnvelope.headCrcFlaw(head, 0, crc);
            }
            if (flaw == null && payload.hasRemaining()) {
                files.read(Place.file(place), Place.offset(place) + headBytes, payload);
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
     * @param position of the record, or for a piece that of its arrival: named if something is wrong
     * @return they begin at 0; good until the next call
     */
    ByteBuffer readHead(RecordType type, long job, int rank, long position, long place) {
        try {
            files.read(Place.file(place), Place.offset(place), head.clear().limit(type.headBytes()));
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
        return new LogException(file(place), position, "cannot be read back at offset " + Place.offset(place) + ": " + LogException.words(e),
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
                    "is damaged: the record at offset " + Place.offset(place) + " " + flaw,
                    "restore the folder from a copy, or move it away to begin a new log and lose what it holds", null);
        }
    }

    private Path file(long place) {
        return named.apply(Place.file(place));
    }

    /** These files were {@linkplain MessageLog#cut cut}: nothing of them is read any more, and they are not kept open. */
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
