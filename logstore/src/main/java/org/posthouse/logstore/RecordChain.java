package org.posthouse.logstore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.posthouse.logstore.file.Disk;
import org.posthouse.logstore.file.DiskSpace;
import org.posthouse.logstore.file.HostCalls;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.LogFiles;
import org.posthouse.logstore.file.LogHighWater;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.file.ReservedBlocks;
import org.posthouse.logstore.file.SpareFiles;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.WriterStarted;
import org.posthouse.logstore.record.RecordCodec;
import org.posthouse.logstore.record.RecordPosition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The end of a log that is being written. It gives each record its position and its hash link to the previous one, and
 * updates the book. When a file is full it begins a new one, whose first records are a snapshot of the book. Confined
 * to the log's owner.
 */
final class RecordChain implements AutoCloseable {
    /** Minimum ratio of a file's size to the size of the snapshot at its beginning. */
    private static final int FILE_PER_SNAPSHOT = 8;

    /**
     * Bytes reserved ahead of the writer while there is space, for appends that can no longer be delayed: 4 MiB. They
     * cover one frame for each of 16 shards, 16 x 128 KiB; one record of maximum size, 1 MiB; and some 8,000 records of
     * 128 bytes.
     */
    static final long MARGIN_BYTES = 4 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(RecordChain.class);
    private static final ByteBuffer[] NO_PAYLOAD = {};

    private final Path folder;
    private final UUID boot;
    private final SpareFiles spares;
    private final RecordAppender appender;
    private final DiskSpace diskSpace;
    private final ReservedBlocks blocks;
    private final long epoch;
    private final int firstFile;
    private final long rollBytes;
    private final RecordCodec codec = new RecordCodec();
    private final LogState book;
    private final LogFiles files;
    private final FileTrimmer full;
    /** Number of the file that contains the last record. */
    private int file;
    private long position;
    private long place;
    /** Place of the last record of the previous file, until that file was shortened. */
    private long lastOfFull = MessageLog.NO_PLACE;
    private int hash;
    private long rollAt;
    /**
     * Position of the last record and number of files begun since open. The owner writes them in order, without fences;
     * any thread reads them.
     */
    private final AtomicLong published = new AtomicLong();
    private final AtomicLong rolls = new AtomicLong();

    RecordChain(LogConfig config, HostCalls hostCalls, LogRecovery recovery) {
        LogScan scan = recovery.scan();
        this.folder = config.folder();
        this.boot = hostCalls.boot();
        this.epoch = scan.epoch() + 1;
        this.position = scan.lastPosition();
        this.hash = scan.end().hash();
        this.book = scan.book();
        this.firstFile = recovery.nextFile();
        this.rollBytes = config.rollBytes();
        this.rollAt = rollBytes;
        this.diskSpace = new DiskSpace(hostCalls.freeBytes(), config.minFreeBytes());
        this.spares = new SpareFiles(folder, System::nanoTime);
        this.blocks = new ReservedBlocks(folder);
        long snapshotBytes = SnapshotPieces.of(book).size() * (long) MessageLog.MAX_PAYLOAD_BYTES;
        if (!blocks.tryBegin(firstFile, snapshotBytes + MARGIN_BYTES)) {
            throw LogException.full(folder, hostCalls.freeBytes().getAsLong(), snapshotBytes + MARGIN_BYTES);
        }
        this.appender = new RecordAppender(folder, firstFile);
        this.published.setRelease(position);
        this.files = new LogFiles(folder, scan.end().firstOfFile());
        this.full = new FileTrimmer(folder, appender.pretoucher());
        this.file = files.lastFile();
    }

    /**
     * Writes a writer's first records: a snapshot, if it begins a file other than the log's first, and the start
     * record.
     */
    void start(WriterStarted started, boolean fileBegun) {
        if (!fileBegun && position > 0) {
            snapshot(SnapshotPieces.of(book));
        }
        codec.writerStarted(started);
        publish();
        tellReached(true);
    }

    /** The codec to encode a record's head with, between {@link #begin} and {@link #publish}. */
    RecordCodec codec() {
        return codec;
    }

    /** As {@link #begin(ByteBuffer[])}, for a record without payload. */
    long begin() {
        return begin(NO_PAYLOAD);
    }

    /**
     * Checks that an append is possible, and prepares the end of the log for it.
     *
     * @return the payload's bytes, or {@link MessageLog#NO_ROOM}
     */
    long begin(ByteBuffer... payload) {
        if (appender.fileBytes() >= rollAt && appender.file() == QueueFiles.LAST) {
            throw new LogException(folder, "has used up the names of its files, of which " + QueueFiles.file(folder, appender.file()).getFileName()
                    + " is the last", "end its jobs and start the relay again: when none is open the log begins anew");
        }
        return begin(diskSpace.hasRoom(), payload);
    }

    /**
     * As {@link #begin(ByteBuffer[])}, but fails only when the disk has no free block. Used for records that free
     * space.
     */
    long beginAnyway(ByteBuffer... payload) {
        return begin(true, payload);
    }

    private long begin(boolean mayReserve, ByteBuffer... payload) {
        long bytes = 0;
        for (ByteBuffer piece : payload) {
            bytes += piece.remaining();
        }
        if (bytes > MessageLog.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("payload of " + bytes + " bytes in one record, must be at most "
                    + MessageLog.MAX_PAYLOAD_BYTES + ": append the rest as chunks");
        }
        if (appender.fileBytes() >= rollAt && diskSpace.hasRoom() && appender.file() < QueueFiles.LAST) {
            roll();
        }
        return reaches(bytes + ReservedBlocks.SLACK_BYTES, mayReserve) ? bytes : MessageLog.NO_ROOM;
    }

    private boolean reaches(long bytes, boolean mayReserve) {
        long upTo = appender.fileBytes() + bytes;
        return blocks.covers(upTo) || mayReserve && blocks.tryReach(upTo);
    }

    /** Whether new input may be appended, together with the appends that can then not be delayed. */
    boolean hasRoom() {
        return diskSpace.hasRoom() && reaches(MARGIN_BYTES, true);
    }

    /** As {@link #hasRoom}, after a fresh query of the disk. */
    boolean hasRoomNow() {
        diskSpace.lookNow();
        return hasRoom();
    }

    /** Begins a new file if its blocks are allocated; otherwise the current file continues to grow. */
    private void roll() {
        if (!blocks.mayBegin()) {
            return;
        }
        List<ByteBuffer> pieces = SnapshotPieces.of(book);
        long needed = pieces.size() * (long) MessageLog.MAX_PAYLOAD_BYTES + MARGIN_BYTES;
        int next = appender.file() + 1;
        long spareBytes = spares.take(QueueFiles.file(folder, next), needed);
        if (spareBytes > 0) {
            blocks.begin(next, spareBytes);
        }
        if (spareBytes > 0 || blocks.tryBegin(next, needed)) {
            lastOfFull = place;
            appender.roll(spareBytes > 0);
            snapshot(pieces);
            tellReached(false);
        }
    }

    /**
     * @param forced whether to sync the file to the disk. It then identifies this writer's boot even if a power cut
     *         loses the records that do
     */
    private void tellReached(boolean forced) {
        try {
            new LogHighWater(position, file, boot).write(folder);
            if (forced) {
                Disk.force(folder.resolve(LogHighWater.FILE));
                Disk.force(folder);
            }
        } catch (IOException e) {
            LOG.warn("log {}: {} is not written, so a loss of all of {} would not be noticed: {}", folder, LogHighWater.FILE,
                    QueueFiles.file(folder, file).getFileName(), LogException.words(e));
        }
    }

    private void snapshot(List<ByteBuffer> pieces) {
        for (int i = 0; i < pieces.size(); i++) {
            codec.snapshot(i, pieces.size(), appender.file());
            publish(pieces.get(i));
        }
        long least = FILE_PER_SNAPSHOT * (long) pieces.size() * MessageLog.MAX_PAYLOAD_BYTES;
        rollAt = pieces.size() == 1 ? rollBytes : Math.max(rollBytes, Math.min(least, LogConfig.ROLL_BYTES_MAX));
    }

    /** As {@link #publish(ByteBuffer[])}, for a record without payload. */
    long publish() {
        return publish(NO_PAYLOAD);
    }

    /** Publishes the record whose head was encoded last; returns its position. */
    long publish(ByteBuffer... payload) {
        int payloadBytes = 0;
        for (ByteBuffer piece : payload) {
            payloadBytes += piece.remaining();
        }
        ByteBuffer head = codec.head();
        book.check(head, 0);
        int sealed = codec.seal(position + 1, epoch, hash, payload, payloadBytes);
        int bytes = head.remaining() + payloadBytes;
        try {
            place = appender.append(head, payload);
        } catch (Throwable e) {
            throw new LogException(folder, position + 1, "append failed: " + LogException.words(e),
                    appender.broken() ? "open the log again" : "nothing was appended", e);
        }
        hash = sealed;
        position++;
        book.apply(head, 0, place, payload);
        if (RecordPosition.file(place) != file) {
            file = RecordPosition.file(place);
            if (lastOfFull != MessageLog.NO_PLACE) {
                full.shorten(lastOfFull);
                lastOfFull = MessageLog.NO_PLACE;
            }
            files.begun(file, position, appender.fileBytes());
        }
        files.appended(bytes, appender.fileBytes());
        diskSpace.taken(bytes);
        // The order matters: a reader that sees the position also sees the file that contains it.
        rolls.setRelease(appender.rolls());
        published.setRelease(position);
        return position;
    }

    boolean broken() {
        return appender.broken();
    }

    long position() {
        return position;
    }

    /** Place of the last record. */
    long place() {
        return place;
    }

    long epoch() {
        return epoch;
    }

    LogState book() {
        return book;
    }

    LogFiles files() {
        return files;
    }

    SpareFiles spares() {
        return spares;
    }

    DiskSpace room() {
        return diskSpace;
    }

    /** Number of the current file. Any thread. */
    long file() {
        return firstFile + rolls();
    }

    /** Number of files begun since open. Any thread. */
    long rolls() {
        return rolls.getAcquire();
    }

    /** Position of the last record. Any thread. */
    long published() {
        return published.getAcquire();
    }

    @Override
    public void close() {
        appender.close();
        spares.close();
    }
}
