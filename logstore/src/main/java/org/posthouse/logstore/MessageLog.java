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
import org.posthouse.logstore.LogRecord.Arrival;
import org.posthouse.logstore.LogRecord.Delivery;
import org.posthouse.logstore.LogRecord.Diverged;
import org.posthouse.logstore.LogRecord.Events;
import org.posthouse.logstore.LogRecord.JobOpened;
import org.posthouse.logstore.LogRecord.Pressing;
import org.posthouse.logstore.LogRecord.Withdrawn;
import org.posthouse.logstore.LogRecord.WriterStarted;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The message log of a relay (docs/log-format.md): one writer, append before effect. Confined to its owner,
 * the thread of the first append after open or {@link #handOver()}; only {@link #epoch()} and
 * {@link #position()} may be called from elsewhere, and {@link #close()} once the owner appends no more.
 *
 * <p>Each append returns the record's position: 1, 2, … without a gap for the life of the folder. A record whose
 * position was returned survives the death of this process. An append that finds no room changes
 * nothing and returns {@link #NO_ROOM}; no block of a file is written to through memory before it is the file's own. An append that throws has published nothing; if Chronicle itself failed the
 * log is broken, refuses all further appends and must be closed and opened again, which finds the true end.
 */
public final class MessageLog implements AutoCloseable {
    /** Returned by appends instead of a position once {@link #hasRoom()} is false and the blocks that were reserved are used up. */
    public static final long NO_ROOM = -1;

    /** Payload bytes that one record can carry: 1 MiB. Longer messages are appended in chunks. */
    public static final int MAX_PAYLOAD_BYTES = 1 << 20;

    /** A place where no record stands. */
    public static final long NO_PLACE = 0;

    /** How often a scan begins again as the log was cut: a writer cuts at most four times a second, and reading a file takes less. */
    private static final int CUT_SCANS_MAX = 100;

    private static final Logger LOG = LoggerFactory.getLogger(MessageLog.class);

    private final Path folder;
    private final Owner owner;
    private final FolderLock lock;
    private final RecordChain chain;
    private final long relayEpoch;
    private final long rollBytes;
    private final ToldSafe safe;
    private Drafts drafts;
    private final CutFiles cutFiles;
    /** Written by whoever closes, read by the owner. */
    private volatile boolean closed;

    MessageLog(LogConfig config, Host host, FolderLock lock, LogRecovery recovery, long relayEpoch) {
        this.folder = config.folder();
        this.owner = new Owner("log " + folder);
        this.lock = lock;
        this.relayEpoch = relayEpoch;
        this.rollBytes = config.rollBytes();
        this.drafts = recovery.scan().end().drafts();
        this.chain = new RecordChain(config, host, recovery);
        this.safe = new ToldSafe(folder, this::firstPosition);
        this.cutFiles = new CutFiles(folder, chain.files(), chain.spares(), safe);
    }

    /**
     * Opens the log in this folder, or begins one: takes the folder's lock, verifies every record, cuts what a dead
     * writer left half written (logged as a warning), and appends a start record under a new epoch.
     *
     * @throws LogException if another writer holds the folder, a record is damaged, or the folder cannot be used
     */
    public static MessageLog open(LogConfig config) {
        return open(config, book -> 0, entry -> {});
    }

    /**
     * Opens the log as {@link #open(LogConfig)} does, for a relay that counts its own epochs.
     *
     * @param relayEpoch gives this writer's relay epoch, from what the log says, before anything is appended; what it throws ends the opening
     * @param visitor sees each record that is kept, in order, before this writer's start record; what it throws ends
     *     the opening
     */
    public static MessageLog open(LogConfig config, ToLongFunction<LogBook> relayEpoch, Consumer<? super LogEntry> visitor) {
        try {
            Disk.makeFolder(config.folder());
            return LogOpening.open(config, relayEpoch, visitor, Host.here(config.folder()));
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
                chain.epoch(), recovery.scan().bytes(), recovery.scan().files(), drafts.count());
    }

    /**
     * Reads a log from its first record to its end or its first defect. Needs no lock and changes nothing: beside a
     * living writer the record being written may show as a torn tail. A log whose oldest files go meanwhile is read again from its new
     * beginning.
     *
     * @param visitor sees each whole record once, in order, but for those that have gone meanwhile; what it throws ends the scan
     * @throws LogException if the folder cannot be read, or the log is cut again and again before it is
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

    /** What the log says of the time before its oldest record, if files of it have gone: the jobs that were open then. As {@link #scan}. */
    public static LogBook beginning(Path folder) {
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
            } catch (InternalError e) { // So the JVM says that what is mapped is not there any more: the file was full, and was shortened.
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
     * Logs a message that came for a mailbox, and if the arrival says so its delivery too. The payload's remaining bytes
     * are its beginning and stand inline; what is missing to its length follows by {@link #appendChunk}. The buffers'
     * positions are kept.
     *
     * @param payload in order, at most {@link #MAX_PAYLOAD_BYTES} and at most the message's length together
     * @return its position, or {@link #NO_ROOM}
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
     * Logs a further piece of a message's payload. Pieces of different messages may interleave; those of one follow each
     * other without a gap.
     *
     * @param arrivalPosition what {@link #appendArrival} returned for the message
     * @param offset of the piece in the whole payload, bytes
     * @param payload in order, 1 to {@link #MAX_PAYLOAD_BYTES} bytes together
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

    /** Logs a determinant; returns its position, or {@link #NO_ROOM}. The log fills in where the last piece stands. */
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
     * Logs a record that cannot wait for room; returns its position, or {@link #NO_ROOM}: it is refused only when not a block of the
     * disk is left, and what was reserved is used up.
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
     * Logs what a rank has observed; returns the record's position, or {@link #NO_ROOM}.
     *
     * @param items as many as the record says, {@link Events#ITEM_BYTES} each
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

    /** Logs that an offered message was taken back; returns the record's position, or {@link #NO_ROOM}. */
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
     * @param opening what opened it, opaque to the log, at most {@link #MAX_PAYLOAD_BYTES}; {@link JobState#opening} gives it
     *     back
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
     * @param first what came first, in UTF-8; {@link JobState#divergence} gives it back
     */
    public long appendDiverged(Diverged diverged, ByteBuffer first) {
        ByteBuffer[] payload = {first};
        if (begin(payload) == NO_ROOM) {
            return NO_ROOM;
        }
        chain.codec().diverged(diverged);
        return chain.publish(payload);
    }

    /** Checks that an append may happen at all. Returns the payload's bytes, or {@link #NO_ROOM}. */
    private long begin(ByteBuffer[] payload) {
        requireOpen();
        return chain.begin(payload);
    }

    private long begin() {
        requireOpen();
        return chain.begin();
    }

    private void requireOpen() {
        owner.require();
        if (closed || chain.broken()) {
            throw new LogException(folder, closed ? "is closed" : "is broken by an earlier failure", "open it again");
        }
    }

    /**
     * Where the record appended last stands: what a {@link #reader()} finds it by, beside its position. Good for the life
     * of its file, in this process and later ones.
     */
    public long place() {
        owner.require();
        return chain.place();
    }

    /** What the log says, up to the last append. Read by the owner only. */
    public LogBook book() {
        owner.require();
        return chain.book();
    }

    /** The messages that were under way when the log was opened; handed out once, to whoever makes mailboxes of them. */
    public Drafts takeDrafts() {
        owner.require();
        Drafts taken = drafts;
        drafts = new Drafts();
        return taken;
    }

    /** Reads payload back by place, beside the appends; its user closes it. Any thread. */
    public PayloadReader reader() {
        return new PayloadReader(folder);
    }

    /** Reads one rank's records from a milestone on; its user closes it. Any thread. */
    public LogCursor rankCursor(long job, int rank, Milestone from) {
        return counted(LogCursor.ofRank(folder, job, rank, from.position(), from.place(), this::position));
    }

    /** Reads what one rank has sent to mailboxes of this log, from a record on; its user closes it. Any thread. */
    public LogCursor sentCursor(long job, int source, long position, long place) {
        return counted(LogCursor.ofSource(folder, job, source, position, place, this::position));
    }

    // ---- its files

    /** Whether it has come so far that there may be no names for its files by the end of a job that begins. Any thread. */
    public boolean isWorn() {
        return chain.file() >= QueueFiles.WORN;
    }

    /** How many bytes it can take, about, until there are no names for its files. Any thread. */
    public long bytesToLastFile() {
        return (QueueFiles.LAST - chain.file() + 1) * rollBytes;
    }

    /** Whether {@link #cut} would give any. */
    public boolean canCut(long position) {
        owner.require();
        return chain.files().canCut(position);
    }

    /**
     * Forgets the oldest files of which nothing is at this position or behind it.
     *
     * @return what the caller is to {@link #discard}, in this order; a crash in between does no harm
     */
    public List<Path> cut(long position) {
        owner.require();
        return chain.files().cut(position);
    }

    /**
     * Removes files that were cut; some are kept for a while, empty, for the log to begin again. Blocks; for one thread at a
     * time, which calls it now and then even if there is nothing to remove. One that cannot be removed is tried again by the next call,
     * before any newer one: a log with a hole is none.
     *
     * @param gone what {@link #cut} gave
     * @param usedBytesMax up to which files may be kept, {@link #usedBytes} counted; 0: none
     */
    public void discard(List<Path> gone, long usedBytesMax) {
        cutFiles.discard(gone, usedBytesMax);
    }

    /**
     * The log is about to be closed: a {@link #discard} that is under way ends with the file that it is at. The others are cut again once
     * the log is open again. Any thread.
     */
    public void discardNoMore() {
        cutFiles.stop();
    }

    /** Bytes of the log's files on the disk, as they were when at most 1 MiB less was in them. Any thread. */
    public long usedBytes() {
        return chain.files().usedBytes() + chain.spares().bytes();
    }

    /** As {@link #usedBytes}, but of the newest file what has records only: when it is full, the rest of it goes. Any thread. */
    public long writtenBytes() {
        return chain.files().writtenBytes() + chain.spares().bytes();
    }

    /** Position of the oldest record that is there. Any thread. */
    public long firstPosition() {
        return chain.files().firstPosition();
    }

    /** Bytes of the files that stay as long as the record at this position does. Any thread. */
    public long bytesFrom(long position) {
        return chain.files().bytesFrom(position);
    }

    /** Reads what one rank has sent to mailboxes of this log, from its oldest record on; its user closes it. */
    public LogCursor sentCursor(long job, int source) {
        owner.require();
        return sentCursor(job, source, firstPosition(), Place.beginning(chain.files().firstFile()));
    }

    /** As long as it is open, no file is used again that it may have open. */
    private LogCursor counted(LogCursor cursor) {
        chain.spares().cursorOpened();
        cursor.counted(chain.spares()::cursorOpened, chain.spares()::cursorClosed);
        return cursor;
    }

    /** What is wrong with a log that does not have what is wanted of it any more. Any thread. */
    public LogException missing(String what) {
        return new LogException(folder, what, "restore the relay's data folder from a copy");
    }

    /**
     * Makes what is appended safe on the disk, for a user that calls it on a thread of its own. Its first sync covers all that the log
     * held when it was opened, and still has. From now on no file is begun again: its zeros would have to go to the disk too. It opens no file.
     */
    public LogSync sync() {
        chain.spares().stop();
        return new LogSync(folder, this::position, chain::file, chain.files().firstFile(), safe, LogSync::force);
    }

    /**
     * Whether there is room for what comes: the file system has at least {@link LogConfig#minFreeBytes()} free, and the blocks of what
     * cannot be put off any more are reserved. Whoever asks it before he takes in what he will append is never refused: what all of
     * 16 such users take in at once, some hundred KiB each, has its blocks.
     */
    public boolean hasRoom() {
        owner.require();
        return chain.hasRoom();
    }

    /** The same, as the disk is now: it may have been filled, or emptied, by somebody else. */
    public boolean hasRoomNow() {
        owner.require();
        return chain.hasRoomNow();
    }

    /**
     * Checks that its files can be written, whatever is reserved for them: of a file system that has become read-only, or was unmounted, appends learn only when that is
     * used up. Blocks. Any thread.
     *
     * @throws LogException if not
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

    /** Bytes that were free when the file system was asked last. */
    public long freeBytes() {
        owner.require();
        return chain.room().freeBytes();
    }

    /** How many must be free, for {@link #hasRoom}. */
    public long minFreeBytes() {
        owner.require();
        return chain.room().minFreeBytes();
    }

    /**
     * Whether there is room to let writers run ahead: twice {@link LogConfig#minFreeBytes()}. Whoever slows them down once
     * there is not has that much until appends are refused.
     */
    public boolean hasAmpleRoom() {
        owner.require();
        return chain.room().isAmple();
    }

    /** Called by the owner: the thread of the next append becomes the owner. The caller orders the two threads. */
    public void handOver() {
        owner.handOver();
    }

    /** Where its files are. Any thread. */
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

    /** Files begun since open. Any thread. */
    public long rolls() {
        return chain.rolls();
    }

    /** Closes the log and gives the folder back. Idempotent; no append may be under way. */
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
