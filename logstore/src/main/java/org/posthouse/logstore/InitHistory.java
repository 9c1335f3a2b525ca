package org.posthouse.logstore;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.posthouse.logstore.file.Disk;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.MappedQueueFile;
import org.posthouse.logstore.image.ImageLayout;
import org.posthouse.logstore.image.ImageStore;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.LogRecord.CheckpointTaken;
import org.posthouse.logstore.record.LogRecord.Chunk;
import org.posthouse.logstore.record.LogRecord.Delivery;
import org.posthouse.logstore.record.LogRecord.Events;
import org.posthouse.logstore.record.LogRecord.Polls;
import org.posthouse.logstore.record.RecordCodec;
import org.posthouse.logstore.record.RecordDecoder;
import org.posthouse.logstore.record.RecordEnvelope;
import org.posthouse.logstore.record.RecordPosition;
import org.posthouse.logstore.record.RecordType;

/**
 * The records of a rank's prologue, that is, of the time before it asked whether to restore an image
 * (docs/log-format.md). They are in a separate file, so that the log need not reach back that far. The file is a log of
 * one rank with the same records, except that a message is stored where it was delivered. It is written once, when the
 * rank's first image is stored. An instance is confined to the call that writes the file.
 */
public final class InitHistory {
    /**
     * Maximum length of the file. It is read through one mapping with int offsets, so a longer file could not be read.
     */
    static final long BYTES_MAX = Integer.MAX_VALUE & ~(Integer.BYTES - 1);

    private static final ByteBuffer[] NOTHING = {};

    private final Path file;
    private final long bytesMax;
    private final OutputStream out;
    private final RecordCodec codec = new RecordCodec();
    private final PayloadReader reader;
    /** For each incomplete message, its position in the log and in this file. */
    private final Map<Long, Long> arriving = new HashMap<>();
    private long position;
    private int previous;
    private long previousPlace;
    private long offset;

    private InitHistory(Path file, long bytesMax, OutputStream out, PayloadReader reader) {
        this.file = file;
        this.bytesMax = bytesMax;
        this.out = out;
        this.reader = reader;
    }

    /**
     * Writes a rank's prologue, unless it exists. A crash leaves either all of it or nothing.
     *
     * @param history the rank's records from its first on; is not closed
     * @throws LogException if it cannot be read or written, has no end, or is longer than {@link #BYTES_MAX}
     */
    public static void write(ImageStore store, long job, int rank, LogCursor history) {
        write(store, job, rank, history, BYTES_MAX);
    }

    static void write(ImageStore store, long job, int rank, LogCursor history, long bytesMax) {
        Path file = store.prologue(job, rank);
        if (Files.exists(file)) {
            return;
        }
        Path written = file.resolveSibling(file.getFileName() + ImageStore.UNFINISHED);
        try {
            Disk.makeFolder(file.getParent());
            try (FileChannel channel = Disk.create(written);
                    PayloadReader reader = history.payloads()) {
                OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), ImageLayout.CHUNK_BYTES);
                new InitHistory(file, bytesMax, out, reader).copy(history);
                out.flush();
                channel.force(true);
            }
            Files.move(written, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            Disk.force(file.getParent());
        } catch (LogException e) {
            drop(written, e);
            throw e;
        } catch (IOException e) {
            drop(written, e);
            throw new LogException(file, "cannot be stored: " + LogException.words(e),
                    "free disk space for the relay's data folder, or check the disk", e);
        }
    }

    /**
     * Deletes a rank's prologue, if it exists.
     *
     * @throws LogException if it cannot be deleted
     */
    public static void forget(ImageStore store, long job, int rank) {
        Path file = store.prologue(job, rank);
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new LogException(file, "cannot be deleted: " + LogException.words(e), "check the disk", e);
        }
    }

    /** Deletes the unfinished file. It may be long, and would otherwise stay until the relay's next start. */
    private static void drop(Path written, Exception failure) {
        try {
            Files.deleteIfExists(written);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private void copy(LogCursor history) throws IOException {
        while (history.advance()) {
            switch (history.record()) {
                case Arrival arrival when arrival.receipt() != null -> message(history.message());
                case Delivery delivery -> message(history.message());
                case Chunk chunk when arriving.containsKey(chunk.arrivalPosition()) ->
                        piece(chunk.job(), chunk.rank(), arriving.get(chunk.arrivalPosition()), chunk.offset(), history.payload());
                case Events events -> {
                    codec.events(events);
                    put(history.payload());
                }
                case Polls polls -> {
                    codec.pressing(polls);
                    put(NOTHING);
                }
                case CheckpointTaken taken when taken.checkpoint().ready() -> {
                    codec.pressing(taken);
                    put(NOTHING);
                    return;
                }
                default -> {}
            }
        }
        throw new LogException(file, "cannot be written: the log does not say where it ends", "report it");
    }

    private void message(StoredMessage message) throws IOException {
        Arrival a = message.arrival();
        codec.arrival(new Arrival(a.job(), a.rank(), a.context(), a.source(), a.tag(), a.sequence(), a.datatype(), a.elements(),
                a.length(), a.form(), a.storable(), message.receipt()));
        put(message.inlineBytes() == 0 ? ByteBuffer.allocate(0)
                : reader.readWhole(RecordType.ARRIVAL, a.job(), a.rank(), message.position(), message.place()));
        long here = position;
        long at = message.inlineBytes();
        for (int i = 0; i < message.pieces(); i++) {
            ByteBuffer piece = reader.readWhole(
                    RecordType.PAYLOAD_CHUNK, a.job(), a.rank(), message.position(), message.piecePlace(i));
            int bytes = piece.remaining();
            piece(a.job(), a.rank(), here, at, piece);
            at += bytes;
        }
        if (!message.isWhole()) {
            arriving.put(message.position(), here);
        }
    }

    private void piece(long job, int rank, long arrival, long at, ByteBuffer payload) throws IOException {
        codec.chunk(job, rank, arrival, at, previousPlace);
        put(payload);
    }

    private void put(ByteBuffer... payload) throws IOException {
        int bytes = 0;
        for (ByteBuffer piece : payload) {
            bytes += piece.remaining();
        }
        previous = codec.seal(++position, 0, previous, payload, bytes);
        ByteBuffer head = codec.head();
        int total = head.remaining() + bytes;
        int padding = -total & Integer.BYTES - 1;
        if (offset + Integer.BYTES + total + padding > bytesMax) {
            throw new LogException(file, "cannot be written: what its rank has lived through takes more than " + bytesMax + " bytes",
                    "have the program call restored() before it receives so much");
        }
        previousPlace = RecordPosition.of(RecordPosition.PROLOGUE, offset + Integer.BYTES);
        out.write(ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(0, total).array());
        copy(head.duplicate());
        for (ByteBuffer piece : payload) {
            copy(piece.duplicate());
        }
        out.write(new byte[padding]);
        offset += Integer.BYTES + total + padding;
    }

    private void copy(ByteBuffer from) throws IOException {
        byte[] bytes = new byte[from.remaining()];
        from.get(bytes);
        out.write(bytes);
    }

    /**
     * A cursor over the records of a rank's prologue; the last record marks its end.
     *
     * @throws LogException naming the file if it is missing, torn, or damaged anywhere
     */
    public static LogCursor read(ImageStore store, long job, int rank) {
        Path file = store.prologue(job, rank);
        verify(file);
        return LogCursor.ofPrologue(file);
    }

    private static void verify(Path file) {
        String flaw = "is empty";
        requireMappable(file);
        try (MappedQueueFile records = new MappedQueueFile(file)) {
            CRC32C crc = new CRC32C();
            boolean ends = false;
            while (records.advance() == MappedQueueFile.At.RECORD) {
                flaw = RecordEnvelope.flaw(records.bytes(), records.offset(), records.length(), crc);
                ends = flaw == null && RecordDecoder.type(records.bytes(), records.offset()) == RecordType.CHECKPOINT_TAKEN;
                if (flaw != null) {
                    break;
                }
                flaw = ends ? null : "ends before its end";
            }
            if (ends && (records.offset() - Integer.BYTES & ~3) < records.bytes().capacity()) {
                flaw = "has bytes that are no record at offset " + records.header();
            }
        } catch (IOException e) {
            throw new LogException(file, "cannot be read: " + LogException.words(e), "check the disk", e);
        }
        if (flaw != null) {
            throw new LogException(file, "is damaged: it " + flaw, "check the disk");
        }
    }

    private static void requireMappable(Path file) {
        if (file.toFile().length() > BYTES_MAX) {
            throw new LogException(file, "cannot be read: it has " + file.toFile().length() + " bytes, more than " + BYTES_MAX, "report it");
        }
    }

    /** A reader of payload from a rank's prologue, by place. */
    public static PayloadReader payloads(ImageStore store, long job, int rank) {
        Path file = store.prologue(job, rank);
        return new PayloadReader(number -> file);
    }

    /** Whether this place is in a prologue and not in the log. */
    public static boolean has(long place) {
        return RecordPosition.file(place) == RecordPosition.PROLOGUE;
    }
}
