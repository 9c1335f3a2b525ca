package org.posthouse.logstore;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import org.posthouse.logstore.file.Disk;
import org.posthouse.logstore.file.FileBlocks;
import org.posthouse.logstore.file.FolderLock;
import org.posthouse.logstore.file.HostCalls;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.OwnerThread;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.file.ReservedBlocks;
import org.posthouse.logstore.file.RetiredFiles;
import org.posthouse.logstore.file.SyncedPositionFile;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.LogRecord.Delivery;
import org.posthouse.logstore.record.LogRecord.Diverged;
import org.posthouse.logstore.record.LogRecord.Events;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.LogRecord.Pressing;
import org.posthouse.logstore.record.LogRecord.Withdrawn;
import org.posthouse.logstore.record.LogRecord.WriterStarted;
import org.posthouse.logstore.record.RecordPosition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The message log of a relay (docs/log-format.md), with one writer; each record is appended before it takes effect.
 * Confined to its owner, the thread of the first append after open or {@link #handOver()}. Other threads may call
 * methods marked "Any thread", and {@link #close()} once the owner appends no more.
 *
 * <p>Each append returns the record's position: 1, 2, … without a gap for the life of the folder. A record whose
 * position was returned survives the death of this process.
 *
 * <p>An append without space changes nothing and returns {@link #NO_ROOM}. The log writes through mapped memory only to
 * blocks that are allocated to the file.
 *
 * <p>An append that throws has published nothing. If Chronicle itself failed, the log is broken and refuses all further
 * appends. It must be closed and opened again, which finds the true end.
 */
public final class MessageLog implements AutoCloseable {
    /**
     * Returned by appends instead of a position, once {@link #hasRoom()} is false and the reserved blocks are used up.
     */
    public static final long NO_ROOM = -1;

    /** Maximum payload of one record: 1 MiB. Longer messages are appended in chunks. */
    public static final int MAX_PAYLOAD_BYTES = 1 << 20;

    /** The place value that means "no record". */
    public static final long NO_PLACE = 0;

    /**
     * Limit of restarts of a scan because the log was cut. A writer cuts at most four times a second, and reading a
     * file takes less time than that.
     */
    private static final int CUT_SCANS_MAX = 100;

    private static final Logger LOG = LoggerFactory.getLogger(MessageLog.class);

    private final Path folder;
    private final OwnerThread ownerThread;
    private final FolderLock lock;
    private final RecordChain chain;
    private final long relayEpoch;
    private final long rollBytes;
    private final SyncedPositionFile safe;
    private InFlightMessages inFlightMessages;
    private final RetiredFiles retiredFiles;
    /** Written by the closing thread, read by the owner. */
    private volatile boolean closed;

    MessageLog(LogConfig config, HostCalls hostCalls, FolderLock lock, LogRecovery recovery, long relayEpoch) {
        this.folder = config.folder();
        this.ownerThread = new OwnerThread("log " + folder);
        this.lock = lock;
        this.relayEpoch = relayEpoch;
        this.rollBytes = config.rollBytes();
        this.inFlightMessages = recovery.scan().end().drafts();
        this.chain = new RecordChain(config, hostCalls, recovery);
        this.safe = new SyncedPositionFile(folder, this::firstPosition);
        this.retiredFiles = new RetiredFiles(folder, chain.files(), chain.spares(), safe);
    }

    /**
     * Opens the log in this folder, or creates one. Takes the folder's lock, verifies every record, and truncates an
     * incomplete record of a dead writer (logged as a warning). Then it appends a start record under a new epoch.
     *
     * @throws LogException if another writer holds the folder, a record is damaged, or the folder cannot be used
     */
    public static MessageLog open(LogConfig config) {
        return open(config, book -> 0, entry -> {});
    }

    /**
     * Opens the log as {@link #open(LogConfig)} does, for a relay that counts its own epochs.
     *
     * @param relayEpoch computes this writer's relay epoch from the log's content, before anything is appended; an
     *         exception that it throws aborts the opening
     * @param visitor sees each retained record in order, before this writer's start record; an exception that it throws
     *         aborts the opening
     */
    public static MessageLog open(LogConfig config, ToLongFunction<LogState> relayEpoch, Consumer<? super LogEntry> visitor) {
        try {
            Disk.makeFolder(config.folder());
            return LogOpening.open(config, relayEpoch, visitor, HostCalls.here(config.folder()));
        } catch (IOException e) {
            throw LogOpening.unusable(config.folder(), e);
        }
    }

    /** Appends the start record. */
    void start(WriterStarted started, LogRecovery recovery) {
        try {
            chain.start(started, recovery.begun());
        } catch (RuntimeException | Error e) {
            chain.close();
            throw e;
        }
        LOG.info("log {}: open at position {}, epoch {}, {} bytes in {} files, {} messages under way", folder, chain.position(),
                chain.epoch(), recovery.scan().bytes(), recovery.scan().files(), inFlightMessages.count());
    }

    /**
     * Reads a log from its first record to its end or its first defect. Needs no lock and changes nothing. Beside a
     * living writer, the record being written may appear as a torn tail. If the oldest files are deleted meanwhile, the
     * log is read again from its new beginning.
     *
     * @param visitor sees each whole record once, in order, except records deleted meanwhile; an exception that it
     *         throws ends the scan
     * @throws LogException if the folder cannot be read, or if repeated cuts prevent a complete scan
     */
    public static LogScan scan(Path folder, Consumer<? super LogEntry> visitor) {
        long[] seen = {0};
        Consumer<LogEntry> unseen = entry -> {
            if (entry.position() > seen[0]) {
                seen[0] = entry.position();
                visitor.accept(entry);
            }
        };
        return readAgainIfCut(folder, () -> LogReader.read(folder, unseen));
    }

    /**
     * The log's summary of the time before its oldest record, if older files are deleted: the jobs that were open then.
     * Fails as {@link #scan} does.
     */
    public static LogState beginning(Path folder) {
        return readAgainIfCut(folder, () -> LogReader.beginning(folder));
    }

    private interface Reading<T> {
        T read() throws IOException;
    }

    private static <T> T readAgainIfCut(Path folder, Reading<T> reading) {
        for (int left = CUT_SCANS_MAX;; left--) {
            try {
                return reading.read();
            } catch (LogException e) {
                if (!e.wasCut() || left == 0) {
                    throw e;
                }
            } catch (InternalError e) {
                // The JVM reports an access to a mapped page that is gone: the file was full, and was shortened.
                if (left == 0) {
                    throw e;
                }
            } catch (IOException e) {
                boolean shortened = e instanceof EOFException;
                if (!shortened || left == 0) {
                    throw new LogException(folder, "cannot be read: " + LogException.words(e),
                            "check the folder's name and rights", e);
                }
            }
        }
    }

    /**
     * Logs a message that arrived for a mailbox, and its delivery if the arrival has a receipt. The payload's remaining
     * bytes are the message's beginning and are stored inline. The rest of the message follows by {@link #appendChunk}.
     * The buffers' positions do not change.
     *
     * @param payload in order, in total at most {@link #MAX_PAYLOAD_BYTES} and at most the message's length
     * @return the record's position, or {@link #NO_ROOM}
     */
    public long appendArrival(Arrival arrival, ByteBuffer... payload) {
        long bytes = begin(payload);
        if (bytes > arrival.length()) {
            throw new IllegalArgumentException("job " + arrival.job() + " rank " + arrival.rank() + ": " + bytes
                    + " bytes inline in a message of " + arrival.length());
        }
        if (bytes == NO_ROOM) {
            return NO_ROOM;
        }
        chain.codec().arrival(arrival);
        return chain.publish(payload);
    }

    /**
     * Logs a further piece of a message's payload. Pieces of different messages may interleave. Pieces of one message
     * follow each other without a gap.
     *
     * @param arrivalPosition what {@link #appendArrival} returned for the message
     * @param offset of the piece in the whole payload, bytes
     * @param payload in order, 1 to {@link #MAX_PAYLOAD_BYTES} bytes in total
     * @return the piece's own position, or {@link #NO_ROOM}
     */
    public long appendChunk(long job, int rank, long arrivalPosition, long offset, ByteBuffer... payload) {
        long bytes = begin(payload);
        if (arrivalPosition < 1 || arrivalPosition > chain.position() || offset < 0 || bytes == 0) {
            throw new IllegalArgumentException("job " + job + " rank " + rank + ": chunk of " + bytes + " bytes at "
                    + offset + " for the arrival at " + arrivalPosition + ", log is at " + chain.position());
        }
        if (bytes == NO_ROOM) {
            return NO_ROOM;
        }
        RankLog to = chain.book().rank(job, rank);
        if (to != null) {
            requireNext(to, arrivalPosition, offset, bytes);
        }
        chain.codec().chunk(job, rank, arrivalPosition, offset, to == null ? NO_PLACE : to.trails().lastPlace(arrivalPosition));
        return chain.publish(payload);
    }

    private static void requireNext(RankLog to, long arrivalPosition, long offset, long bytes) {
        long arrived = to.trails().arrived(arrivalPosition);
        long missing = to.trails().missing(arrivalPosition);
        if (offset != arrived || bytes > missing) {
            throw new IllegalArgumentException("rank " + to.rank() + ": chunk of " + bytes + " bytes at " + offset
                    + " for the arrival at " + arrivalPosition + (arrived < 0 ? ", which is none of a message under way"
                            : ", expected at most " + missing + " at " + arrived));
        }
    }

    /**
     * Logs a determinant; returns its position, or {@link #NO_ROOM}. The log fills in the place of the message's last
     * piece.
     */
    public long appendDelivery(Delivery delivery) {
        if (begin() == NO_ROOM) {
            return NO_ROOM;
        }
        RankLog to = chain.book().rank(delivery.job(), delivery.rank());
        long lastPiece = to == null ? NO_PLACE : to.trails().lastPlace(delivery.arrivalPosition());
        chain.codec().delivery(delivery, lastPiece == NO_PLACE ? delivery.lastPiecePlace() : lastPiece);
        return chain.publish();
    }

    /**
     * Logs a record that must not wait for space; returns its position, or {@link #NO_ROOM}. It is refused only when
     * the disk has no free block and the reserved blocks are used up.
     */
    public long append(Pressing record) {
        requireOpen();
        if (chain.beginAnyway() == NO_ROOM) {
            return NO_ROOM;
        }
        chain.codec().pressing(record);
        return chain.publish();
    }

    /**
     * Logs events that a rank has observed; returns the record's position, or {@link #NO_ROOM}.
     *
     * @param items exactly {@link Events#count} items of {@link Events#ITEM_BYTES} each
     */
    public long appendEvents(Events events, ByteBuffer... items) {
        long bytes = begin(items);
        if (bytes == NO_ROOM) {
            return NO_ROOM;
        }
        if (events.count() < 1 || bytes != (long) events.count() * Events.ITEM_BYTES) {
            throw new IllegalArgumentException("job " + events.job() + " rank " + events.rank() + ": " + events.count()
                    + " events in " + bytes + " bytes, must be 1 or more of " + Events.ITEM_BYTES);
        }
        chain.codec().events(events);
        return chain.publish(items);
    }

    /** Logs that an offered message was withdrawn; returns the record's position, or {@link #NO_ROOM}. */
    public long appendWithdrawn(Withdrawn withdrawn) {
        if (begin() == NO_ROOM) {
            return NO_ROOM;
        }
        chain.codec().withdrawn(withdrawn);
        return chain.publish();
    }

    /**
     * Logs that a job began; returns the record's position, or {@link #NO_ROOM}.
     *
     * @param opening the request that opened the job, opaque to the log, at most {@link #MAX_PAYLOAD_BYTES};
     *         {@link JobState#opening} returns it
     */
    public long appendJobOpened(JobOpened job, ByteBuffer... opening) {
        if (begin(opening) == NO_ROOM) {
            return NO_ROOM;
        }
        chain.codec().jobOpened(job);
        return chain.publish(opening);
    }

    /**
     * Logs that ranks of a job diverged; returns the record's position, or {@link #NO_ROOM}.
     *
     * @param first the first divergence, in UTF-8; {@link JobState#divergence} returns it
     */
    public long appendDiverged(Diverged diverged, ByteBuffer first) {
        ByteBuffer[] payload = {first};
        if (begin(payload) == NO_ROOM) {
            return NO_ROOM;
        }
        chain.codec().diverged(diverged);
        return chain.publish(payload);
    }

    /** Logs a death or a revocation; {@link JobState#failures} returns the frame. Returns the record's position, or {@link #NO_ROOM}. */
    public long appendFailed(LogRecord.Failed failed, ByteBuffer frame) {
        ByteBuffer[] payload = {frame};
        if (begin(payload) == NO_ROOM) {
            return NO_ROOM;
        }
        chain.codec().failed(failed);
        return chain.publish(payload);
    }

    /** Logs the result of an agreement; {@link JobState#failures} returns the frame. Returns the record's position, or {@link #NO_ROOM}. */
    public long appendAgreed(LogRecord.Agreed agreed, ByteBuffer frame) {
        ByteBuffer[] payload = {frame};
        if (begin(payload) == NO_ROOM) {
            return NO_ROOM;
        }
        chain.codec().agreed(agreed);
        return chain.publish(payload);
    }

    /** Checks that an append is possible. Returns the payload's bytes, or {@link #NO_ROOM}. */
    private long begin(ByteBuffer[] payload) {
        requireOpen();
        return chain.begin(payload);
    }

    private long begin() {
        requireOpen();
        return chain.begin();
    }

    private void requireOpen() {
        ownerThread.require();
        if (closed || chain.broken()) {
            throw new LogException(folder, closed ? "is closed" : "is broken by an earlier failure", "open it again");
        }
    }

    /**
     * The place of the record appended last. A {@link #reader()} finds a record by its place and position. It stays
     * valid for the life of its file, in this process and later ones.
     */
    public long place() {
        ownerThread.require();
        return chain.place();
    }

    /** The state that the log describes, up to the last append. Read by the owner only. */
    public LogState book() {
        ownerThread.require();
        return chain.book();
    }

    /**
     * The messages that were incomplete when the log was opened. They are handed out once, to the caller that rebuilds
     * the mailboxes.
     */
    public InFlightMessages takeDrafts() {
        ownerThread.require();
        InFlightMessages taken = inFlightMessages;
        inFlightMessages = new InFlightMessages();
        return taken;
    }

    /** A reader of payload by place, concurrent with appends; the caller closes it. Any thread. */
    public PayloadReader reader() {
        return new PayloadReader(folder);
    }

    /** A cursor over one rank's records from a milestone on; the caller closes it. Any thread. */
    public LogCursor rankCursor(long job, int rank, HistoryIndexEntry from) {
        return counted(LogCursor.ofRank(folder, job, rank, from.position(), from.place(), this::position));
    }

    /**
     * A cursor over the messages that one rank has sent to mailboxes of this log, from a record on; the caller closes
     * it. Any thread.
     */
    public LogCursor sentCursor(long job, int source, long position, long place) {
        return counted(LogCursor.ofSource(folder, job, source, position, place, this::position));
    }

    // ---- files

    /**
     * Whether the log has used so many file numbers that they may run out before a job that begins now ends. Any
     * thread.
     */
    public boolean isWorn() {
        return chain.file() >= QueueFiles.WORN;
    }

    /** Approximate bytes that the log can still append before its file numbers run out. Any thread. */
    public long bytesToLastFile() {
        return (QueueFiles.LAST - chain.file() + 1) * rollBytes;
    }

    /** Whether {@link #cut} would return any file. */
    public boolean canCut(long position) {
        ownerThread.require();
        return chain.files().canCut(position);
    }

    /**
     * Removes from the log its oldest files whose records are all before this position.
     *
     * @return files that the caller must {@link #discard}, in this order; a crash in between does no harm
     */
    public List<Path> cut(long position) {
        ownerThread.require();
        return chain.files().cut(position);
    }

    /**
     * Deletes files that were cut. Some are kept for a while, emptied, for reuse by the log. Blocks. Only one thread at
     * a time may call it; it does so periodically, even if there is nothing to delete. The next call retries a file
     * that cannot be deleted, before any newer one, because a log with a gap is unusable.
     *
     * @param gone the files that {@link #cut} returned
     * @param usedBytesMax files may be kept while {@link #usedBytes} is at most this; 0: none are kept
     */
    public void discard(List<Path> gone, long usedBytesMax) {
        retiredFiles.discard(gone, usedBytesMax);
    }

    /**
     * Prepares for close: a running {@link #discard} ends with its current file. The other files are cut again once the
     * log is open again. Any thread.
     */
    public void discardNoMore() {
        retiredFiles.stop();
    }

    /**
     * Bytes that the log's files occupy on the disk. The value may be outdated by at most 1 MiB of appends. Any thread.
     */
    public long usedBytes() {
        return chain.files().usedBytes() + chain.spares().bytes();
    }

    /**
     * As {@link #usedBytes}, but counts only the written part of the newest file. The rest of that file is freed when
     * it is full. Any thread.
     */
    public long writtenBytes() {
        return chain.files().writtenBytes() + chain.spares().bytes();
    }

    /** Position of the oldest record in the log. Any thread. */
    public long firstPosition() {
        return chain.files().firstPosition();
    }

    /** Bytes of the files that must stay while the record at this position does. Any thread. */
    public long bytesFrom(long position) {
        return chain.files().bytesFrom(position);
    }

    /**
     * A cursor over the messages that one rank has sent to mailboxes of this log, from its oldest record on; the caller
     * closes it.
     */
    public LogCursor sentCursor(long job, int source) {
        ownerThread.require();
        return sentCursor(job, source, firstPosition(), RecordPosition.beginning(chain.files().firstFile()));
    }

    /** Counts an open cursor. While it is open, no file that it may have open is reused. */
    private LogCursor counted(LogCursor cursor) {
        chain.spares().cursorOpened();
        cursor.counted(chain.spares()::cursorOpened, chain.spares()::cursorClosed);
        return cursor;
    }

    /** The exception for a log that lacks required content. Any thread. */
    public LogException missing(String what) {
        return new LogException(folder, what, "restore the relay's data folder from a copy");
    }

    /**
     * Creates the object that syncs appended records to the disk. Its user calls it on a separate thread. Its first
     * sync covers everything that the log held at open and still holds. From now on no file is reused, because the
     * zeros in it would have to be synced too. This method opens no file.
     */
    public LogSync sync() {
        chain.spares().stop();
        return new LogSync(folder, this::position, chain::file, chain.files().firstFile(), safe, LogSync::force);
    }

    /**
     * Whether the log accepts new input. The file system must have at least {@link LogConfig#minFreeBytes()} free, and
     * the blocks for unavoidable appends must be reserved. A caller that checks this before it reads input is never
     * refused. The reserve covers one read of some hundred KiB for each of 16 callers.
     */
    public boolean hasRoom() {
        ownerThread.require();
        return chain.hasRoom();
    }

    /** As {@link #hasRoom}, but queries the disk now, because other programs may have filled or emptied it. */
    public boolean hasRoomNow() {
        ownerThread.require();
        return chain.hasRoomNow();
    }

    /**
     * Checks that the log's files can be written, whatever blocks are reserved. Appends notice a read-only or unmounted
     * file system only when the reserve is used up. Blocks. Any thread.
     *
     * @throws LogException if the files cannot be written
     */
    public void requireWritable() {
        Path file = folder.resolve(SingleChronicleQueue.QUEUE_METADATA_FILE);
        try {
            FileChannel.open(file, StandardOpenOption.WRITE).close();
        } catch (IOException e) {
            if (!FileBlocks.isForWantOfFiles(e)) {
                throw ReservedBlocks.unusable(file, "cannot be written", e);
            }
        }
    }

    /** Free bytes of the file system at the last query. */
    public long freeBytes() {
        ownerThread.require();
        return chain.room().freeBytes();
    }

    /** Free bytes that {@link #hasRoom} requires. */
    public long minFreeBytes() {
        ownerThread.require();
        return chain.room().minFreeBytes();
    }

    /**
     * Whether writers may run ahead: twice {@link LogConfig#minFreeBytes()} is free. A caller that slows writers down
     * once this is false has that much space left until appends are refused.
     */
    public boolean hasAmpleRoom() {
        ownerThread.require();
        return chain.room().isAmple();
    }

    /** Called by the owner: the thread of the next append becomes the owner. The caller orders the two threads. */
    public void handOver() {
        ownerThread.handOver();
    }

    /** The log's folder. Any thread. */
    public Path folder() {
        return folder;
    }

    /** This writer's epoch, one more than the highest found at open. Any thread. */
    public long epoch() {
        return chain.epoch();
    }

    /** The relay epoch that this writer was opened with. Any thread. */
    public long relayEpoch() {
        return relayEpoch;
    }

    /** Position of the last record. Any thread. */
    public long position() {
        return chain.published();
    }

    /** Number of files begun since open. Any thread. */
    public long rolls() {
        return chain.rolls();
    }

    /** Closes the log and releases the folder's lock. Idempotent; no append may be running. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        chain.close();
        try {
            lock.close();
        } catch (IOException e) {
            throw LogOpening.unusable(folder, e);
        }
    }
}
