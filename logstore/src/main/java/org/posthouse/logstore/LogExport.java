package org.posthouse.logstore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.posthouse.logstore.file.Disk;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.RecordDecoder;
import org.posthouse.logstore.record.RecordEnvelope;

/**
 * Exports the records of one job to a separate file, as they are in the log. An export of one rank contains that rank's
 * records and those of its whole job. The file can be archived, sent, and replayed elsewhere (docs/log-format.md, "An
 * export"). Confined to one thread. The file gets its name when it is complete; until then it is called
 * {@code NAME.part}.
 */
public final class LogExport implements AutoCloseable {
    /** Suffix of the name of an incomplete file. */
    private static final String PART = ".part";

    private static final byte[] MAGIC = "PHEXPORT".getBytes(StandardCharsets.US_ASCII);
    private static final int VERSION = 2;
    private static final int HEADER_BYTES = 40;
    private static final int RANK = 12;
    private static final int JOB = 16;
    private static final int RECORDS = 24;
    private static final int CRC = 32;

    private final Path file;
    private final Path part;
    private final long job;
    private final int rank;
    private final FileChannel channel;
    private long records;

    private LogExport(Path file, long job, int rank) throws IOException {
        this.file = file;
        this.part = file.resolveSibling(file.getFileName() + PART);
        this.job = job;
        this.rank = rank;
        this.channel = FileChannel.open(
                part, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE);
        channel.position(HEADER_BYTES);
    }

    /**
     * Begins an export.
     *
     * @param rank whose records are wanted, or {@link LogRecord#NO_RANK} for all of the job
     */
    public static LogExport begin(Path file, long job, int rank) throws IOException {
        return new LogExport(file, job, rank);
    }

    /** Takes the log's next record, and writes it if it belongs to the export. */
    public void take(LogEntry entry) throws IOException {
        LogRecord record = entry.record();
        boolean ofRank = rank == LogRecord.NO_RANK || record.rank() == rank || record.rank() == LogRecord.NO_RANK;
        if (record.job() == job && ofRank) {
            write(entry.bytes().duplicate());
            records++;
        }
    }

    private void write(ByteBuffer bytes) throws IOException {
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
    }

    /** Number of records written. */
    public long records() {
        return records;
    }

    /** Completes the file. When this returns, the file is on disk and has its name. */
    public void finish() throws IOException {
        ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        header.put(MAGIC).putInt(VERSION).putInt(rank).putLong(job).putLong(records).putInt(crc(header)).putInt(0).flip();
        channel.position(0);
        write(header);
        channel.force(true);
        channel.close();
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        Disk.force(file.toAbsolutePath().getParent());
    }

    /** Deletes an unfinished file. */
    @Override
    public void close() throws IOException {
        if (channel.isOpen()) {
            channel.close();
            Files.delete(part);
        }
    }

    /**
     * Reads an export from its first record to its last, and checks each.
     *
     * @param visitor sees each record in order, under the rules of {@link LogEntry}
     * @throws LogException naming the place if the file is not an export, is incomplete, or is damaged
     */
    public static void read(Path file, Consumer<? super LogEntry> visitor) {
        try (FileChannel from = FileChannel.open(file)) {
            ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            if (!fill(from, header) || !header.slice(0, MAGIC.length).equals(ByteBuffer.wrap(MAGIC))
                    || header.getInt(MAGIC.length) != VERSION) {
                throw new LogException(file, "is no export of a log, version " + VERSION, "make it with posthouse log export");
            }
            if (header.getInt(CRC) != crc(header) || header.getInt(CRC + Integer.BYTES) != 0) {
                throw damaged(file, 0, "the header's CRC32C does not match, or its last bytes are not zero");
            }
            long offset = HEADER_BYTES;
            for (long i = 0; i < header.getLong(RECORDS); i++) {
                offset += read(file, from, offset, visitor);
            }
            if (from.size() != offset) {
                throw damaged(file, offset, "the file ends at " + from.size() + ", its last record here");
            }
        } catch (IOException e) {
            throw new LogException(file, "cannot be read: " + LogException.words(e), "check the file's name and rights", e);
        }
    }

    /** Checksum of all bytes in front of the checksum. */
    private static int crc(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.array(), 0, CRC);
        return (int) crc.getValue();
    }

    /** Returns the record's bytes. */
    private static int read(Path file, FileChannel from, long offset, Consumer<? super LogEntry> visitor)
            throws IOException {
        ByteBuffer envelope = ByteBuffer.allocate(RecordEnvelope.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        if (!fill(from, envelope)) {
            throw damaged(file, offset, "the file ends within a record");
        }
        int total = envelope.getInt(RecordEnvelope.TOTAL);
        if (total < RecordEnvelope.BYTES || total > from.size() - offset) {
            throw damaged(file, offset, "the record claims " + total + " bytes");
        }
        ByteBuffer b = ByteBuffer.allocate(total).order(ByteOrder.LITTLE_ENDIAN).put(envelope);
        if (!fill(from, b)) {
            throw damaged(file, offset, "the file ends within a record");
        }
        String flaw = RecordEnvelope.flaw(b, 0, total, new CRC32C());
        if (flaw != null) {
            throw damaged(file, offset, "the record " + flaw);
        }
        visitor.accept(new LogEntry(b.getLong(RecordEnvelope.POSITION), b.getLong(RecordEnvelope.EPOCH), RecordDecoder.decode(b, 0),
                b.asReadOnlyBuffer(), RecordDecoder.payload(b, 0), file, offset));
        return total;
    }

    private static LogException damaged(Path file, long offset, String what) {
        return new LogException(file, "is damaged at offset " + offset + ": " + what, "export it again");
    }

    /**
     * Reads from the channel's position to the buffer's limit, then flips the buffer. Returns false if the file ends
     * before.
     */
    private static boolean fill(FileChannel from, ByteBuffer to) throws IOException {
        while (to.hasRemaining()) {
            if (from.read(to) < 0) {
                return false;
            }
        }
        to.flip();
        return true;
    }
}
