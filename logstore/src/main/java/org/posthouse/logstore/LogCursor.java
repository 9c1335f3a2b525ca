package org.posthouse.logstore;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.MappedQueueFile;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Delivery;
import org.posthouse.logstore.record.RecordDecoder;
import org.posthouse.logstore.record.RecordEnvelope;
import org.posthouse.logstore.record.RecordLayout;
import org.posthouse.logstore.record.RecordPosition;
import org.posthouse.logstore.record.RecordType;

/**
 * Reads selected records of a log in order, from a given record on, and follows the log as it grows. Confined to one
 * user at a time, which need not be the log's owner; several threads must be ordered by the user.
 *
 * <p>The cursor walks from header to header through the mapped files and never waits. At the present end
 * {@link #advance} returns false and may be called again. It verifies the checksum of each record that it shows, and a
 * payload's when the payload is requested. It verifies no checksum of skipped records.
 *
 * <p>It fails with a {@link LogException} that names file, offset and position in three cases. The bytes are not a
 * record, the record is not the next one, or a record is missing though the log has it.
 */
public final class LogCursor implements RecordCursor {
    private static final String RESTORE = "restore the folder from a copy, or move it away to begin a new log and lose "
            + "what it holds";

    /** Selects the records to show. */
    @FunctionalInterface
    private interface Filter {
        boolean wants(ByteBuffer b, int at);
    }

    private final IntFunction<Path> files;
    private final Filter filter;
    private final LongSupplier end;
    private final PayloadReader reader;
    private final CRC32C crc = new CRC32C();
    private int file;
    private int start;
    private MappedQueueFile mapped;
    private long position;
    private boolean shows;
    private Runnable onOpen = () -> {};
    private Runnable onClose = () -> {};

    /** Whether the cursor counts as open, so that it may have files open. */
    private boolean open = true;

    private LogCursor(Path folder, Filter filter, long position, long place, LongSupplier end) {
        this(number -> QueueFiles.file(folder, number), filter, position, place, end);
    }

    private LogCursor(IntFunction<Path> files, Filter filter, long position, long place, LongSupplier end) {
        this.files = files;
        this.filter = filter;
        this.end = end;
        this.reader = new PayloadReader(files);
        this.position = position - 1;
        this.file = RecordPosition.file(place);
        this.start = Math.toIntExact(RecordPosition.offset(place)) - Integer.BYTES;
    }

    /**
     * A cursor over the records that carry one rank's number.
     *
     * @param position of the record to start from, which need not match
     * @param place of that record
     * @param end gives the position that the log is known to reach; fewer records mean damage. {@code () -> 0} if
     *         unknown
     */
    static LogCursor ofRank(Path folder, long job, int rank, long position, long place, LongSupplier end) {
        Filter filter = (b, at) -> b.getInt(at + RecordEnvelope.RANK) == rank && b.getLong(at + RecordEnvelope.JOB) == job;
        return new LogCursor(folder, filter, position, place, end);
    }

    /**
     * A cursor over what one rank has sent: its arrivals in any mailbox, and the pieces of those arrivals. See
     * {@link #ofRank}.
     */
    static LogCursor ofSource(Path folder, long job, int source, long position, long place, LongSupplier end) {
        return new LogCursor(folder, new Sent(job, source), position, place, end);
    }

    /** A cursor over all records of a prologue's file, from its beginning. */
    static LogCursor ofPrologue(Path prologue) {
        return new LogCursor(number -> prologue, (b, at) -> true, 1, RecordPosition.beginning(RecordPosition.PROLOGUE), () -> 0);
    }

    /**
     * Selects what one source has sent. Pieces name their arrival but not their source, so the filter remembers the
     * incomplete arrivals that it has shown.
     */
    private static final class Sent implements Filter {
        private final long job;
        private final int source;
        /** Missing bytes by the arrival's position. */
        private final Map<Long, Long> missing = new HashMap<>();

        Sent(long job, int source) {
            this.job = job;
            this.source = source;
        }

        @Override
        public boolean wants(ByteBuffer b, int at) {
            if (b.getLong(at + RecordEnvelope.JOB) != job) {
                return false;
            }
            int payload = RecordDecoder.payloadBytes(b, at);
            return switch (RecordDecoder.type(b, at)) {
                case ARRIVAL -> b.getInt(at + RecordLayout.ARRIVAL_SOURCE) == source
                        && more(b.getLong(at + RecordEnvelope.POSITION), b.getLong(at + RecordLayout.ARRIVAL_LENGTH) - payload);
                case PAYLOAD_CHUNK -> {
                    Long open = missing.get(b.getLong(at + RecordLayout.CHUNK_ARRIVAL));
                    yield open != null && more(b.getLong(at + RecordLayout.CHUNK_ARRIVAL), open - payload);
                }
                default -> false;
            };
        }

        private boolean more(long arrival, long bytes) {
            if (bytes > 0) {
                missing.put(arrival, bytes);
            } else {
                missing.remove(arrival);
            }
            return true;
        }
    }

    @Override
    public boolean advance() {
        shows = false;
        while (hop()) {
            if (filter.wants(mapped.bytes(), mapped.offset())) {
                requireFlawless(RecordEnvelope.headCrcFlaw(mapped.bytes(), mapped.offset(), crc), position);
                shows = true;
                return true;
            }
        }
        return false;
    }

    /** Moves to the log's next record; returns false at the present end. */
    private boolean hop() {
        long known = end.getAsLong();
        try {
            if (mapped == null) {
                open();
                mapped = new MappedQueueFile(files.apply(file), Arena.ofShared(), start);
            }
            while (true) {
                MappedQueueFile.At at = mapped.advance();
                if (at == MappedQueueFile.At.RECORD) {
                    requireNext();
                    return true;
                }
                if (at == MappedQueueFile.At.END_MARK ? !nextFile() : !hasGrown()) {
                    requireEnd(at, known);
                    return false;
                }
            }
        } catch (NoSuchFileException e) {
            throw new LogException(files.apply(file), position + 1, "is gone", RESTORE, e);
        } catch (IOException e) {
            throw new LogException(files.apply(file), position + 1, "cannot be read: " + LogException.words(e),
                    "check the disk and the folder's rights", e);
        }
    }

    /** Returns false if the next file does not exist yet. The writer creates it with its next record. */
    private boolean nextFile() throws IOException {
        Path next = files.apply(file + 1);
        if (!Files.exists(next)) {
            return false;
        }
        map(file + 1, 0);
        return true;
    }

    /** Maps the file again if it has grown. A file grows in steps, and a mapping does not grow with it. */
    private boolean hasGrown() throws IOException {
        boolean grown = Files.size(mapped.file()) > mapped.bytes().capacity();
        if (grown) {
            map(file, mapped.header());
        }
        return grown;
    }

    private void map(int number, int header) throws IOException {
        MappedQueueFile next = new MappedQueueFile(files.apply(number), Arena.ofShared(), header);
        mapped.close();
        mapped = next;
        file = number;
    }

    private void requireNext() {
        String flaw = RecordEnvelope.headFlaw(mapped.bytes(), mapped.offset(), mapped.length());
        requireFlawless(flaw, position + 1);
        long found = mapped.bytes().getLong(mapped.offset() + RecordEnvelope.POSITION);
        if (found != position + 1) {
            requireFlawless("has position " + found, position + 1);
        }
        position = found;
    }

    private void requireEnd(MappedQueueFile.At at, long known) {
        if (at == MappedQueueFile.At.BAD_HEADER) {
            requireFlawless("has a header that claims " + mapped.length() + " bytes", position + 1);
        }
        if (position < known) {
            requireFlawless("is missing: the log has records up to position " + known, position + 1);
        }
    }

    private void requireFlawless(String flaw, long expected) {
        if (flaw != null) {
            throw new LogException(mapped.file(), expected,
                    "is damaged: the record at offset " + mapped.offset() + " " + flaw, RESTORE, null);
        }
    }

    @Override
    public long position() {
        return position;
    }

    @Override
    public long place() {
        requireShown();
        return RecordPosition.of(file, mapped.offset());
    }

    @Override
    public LogRecord record() {
        requireShown();
        return RecordDecoder.decode(mapped.bytes(), mapped.offset());
    }

    @Override
    public int payloadBytes() {
        requireShown();
        return RecordDecoder.payloadBytes(mapped.bytes(), mapped.offset());
    }

    @Override
    public int payloadCrc() {
        requireShown();
        return RecordDecoder.payloadCrc(mapped.bytes(), mapped.offset());
    }

    @Override
    public ByteBuffer payload() {
        requireShown();
        requireFlawless(RecordEnvelope.payloadCrcFlaw(mapped.bytes(), mapped.offset(), crc), position);
        return RecordDecoder.payload(mapped.bytes(), mapped.offset());
    }

    /** As {@link RecordCursor#message}; reads one record head per piece. */
    @Override
    public StoredMessage message() {
        requireShown();
        ByteBuffer b = mapped.bytes();
        int at = mapped.offset();
        if (RecordDecoder.type(b, at) == RecordType.ARRIVAL) {
            return new StoredMessage(RecordDecoder.arrival(b, at), position, place(), RecordDecoder.payloadBytes(b, at));
        }
        if (RecordDecoder.type(b, at) != RecordType.DELIVERY) {
            throw new IllegalStateException(RecordDecoder.type(b, at) + " at position " + position + " is about no message");
        }
        return delivered(RecordDecoder.delivery(b, at));
    }

    private StoredMessage delivered(Delivery delivery) {
        long arrival = delivery.arrivalPosition();
        long place = delivery.arrivalPlace();
        ByteBuffer head = reader.readHead(RecordType.ARRIVAL, delivery.job(), delivery.rank(), arrival, place);
        reader.requireArrival(arrival, RecordEnvelope.POSITION, place);
        StoredMessage message = new StoredMessage(
                RecordDecoder.arrival(head, 0), arrival, place, RecordDecoder.payloadBytes(head, 0));
        message.delivered(delivery.receipt());
        for (long piece = delivery.lastPiecePlace(); piece != place;) {
            head = reader.readHead(RecordType.PAYLOAD_CHUNK, delivery.job(), delivery.rank(), arrival, piece);
            reader.requireArrival(arrival, RecordLayout.CHUNK_ARRIVAL, piece);
            message.add(piece, RecordDecoder.payloadBytes(head, 0));
            piece = head.getLong(RecordLayout.CHUNK_PREVIOUS_PLACE);
        }
        message.reverse();
        return message;
    }

    /**
     * Sets the callbacks. {@code onOpen} runs before a file is opened again after a {@linkplain #rest rest};
     * {@code onClose} runs once no file is open.
     */
    void counted(Runnable onOpen, Runnable onClose) {
        this.onOpen = onOpen;
        this.onClose = onClose;
    }

    /** A reader of payload from the same files. */
    PayloadReader payloads() {
        return new PayloadReader(files);
    }

    private void requireShown() {
        if (!shows) {
            throw new IllegalStateException("no record is shown: advance first");
        }
    }

    private void open() {
        if (!open) {
            open = true;
            onOpen.run();
        }
    }

    @Override
    public void rest() {
        close();
    }

    @Override
    public void close() {
        if (mapped != null) {
            start = mapped.behind();
            mapped.close();
            mapped = null;
        }
        shows = false;
        reader.close();
        if (open) {
            open = false;
            onClose.run();
        }
    }
}
