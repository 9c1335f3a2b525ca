package org.posthouse.logstore;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.posthouse.logstore.LogRecord.Arrival;
import org.posthouse.logstore.LogRecord.Delivery;
import org.posthouse.logstore.LogRecord.JobClosed;
import org.posthouse.logstore.LogRecord.JobOpened;
import org.posthouse.logstore.LogRecord.Polls;
import org.posthouse.logstore.LogRecord.WriterStarted;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The message log of a relay (DESIGN sections 3, 5 and 7): one writer, append before effect. Confined to its owner,
 * the thread of the first append after open or {@link #handOver()}; only {@link #stats()}, {@link #epoch()} and
 * {@link #position()} may be called from elsewhere, and {@link #close()} once the owner appends no more.
 *
 * <p>Each append returns the record's position: 1, 2, … without a gap for the life of the folder. A record whose
 * position was returned survives the death of this process. An append that finds too little free space changes
 * nothing and returns {@link #NO_ROOM}. An append that throws has published nothing; if Chronicle itself failed the
 * log is broken, refuses all further appends and must be closed and opened again, which finds the true end.
 */
public final class MessageLog implements AutoCloseable {
    /** Returned by appends instead of a position while {@link #hasRoom()} is false. */
    public static final long NO_ROOM = -1;

    /** Payload bytes that one record can carry: 1 MiB. Longer messages are appended in chunks. */
    public static final int MAX_PAYLOAD_BYTES = 1 << 20;

    /** Bytes of UTF-8 in a job's name. */
    public static final int MAX_NAME_BYTES = 1 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(MessageLog.class);
    private static final ByteBuffer[] NO_PAYLOAD = {};

    private final Path folder;
    private final Owner owner;
    private final FolderLock lock;
    private final RecordAppender appender;
    private final Room room;
    private final long epoch;
    private final RecordCodec codec = new RecordCodec();
    private final LogCounters counters;

    private long position;
    private long place;
    private int hash;
    /** Written by whoever closes, read by the owner. */
    private volatile boolean closed;

    private MessageLog(LogConfig config, Host host, FolderLock lock, LogRecovery recovery) {
        LogScan scan = recovery.scan();
        this.folder = config.folder();
        this.owner = new Owner("log " + folder);
        this.lock = lock;
        this.epoch = scan.epoch() + 1;
        this.position = scan.lastPosition();
        this.hash = scan.end().hash();
        this.room = new Room(host.freeBytes(), config.minFreeBytes());
        this.appender = new RecordAppender(folder, recovery.nextFile(), config.rollBytes());
        this.counters = new LogCounters(position, epoch, recovery.files());
    }

    /**
     * Opens the log in this folder, or begins one: takes the folder's lock, verifies every record, cuts what a dead
     * writer left half written (logged as a warning), and appends a start record under a new epoch.
     *
     * @throws LogException if another writer holds the folder, a record is damaged, or the folder cannot be used
     */
    public static MessageLog open(LogConfig config) {
        return open(config, entry -> {});
    }

    /**
     * Opens the log as {@link #open(LogConfig)} does, and shows what it holds, so that a relay need not read it twice.
     *
     * @param visitor sees each record that is kept, in order, before this writer's start record; what it throws ends
     *     the opening
     */
    public static MessageLog open(LogConfig config, Consumer<? super LogEntry> visitor) {
        try {
            Files.createDirectories(config.folder());
            return open(config, visitor, Host.here(config.folder()));
        } catch (IOException e) {
            throw unusable(config.folder(), e);
        }
    }

    static MessageLog open(LogConfig config, Consumer<? super LogEntry> visitor, Host host) {
        try {
            Files.createDirectories(config.folder());
            FolderLock lock = FolderLock.take(config.folder(), host.pid());
            try {
                return start(config, visitor, host, lock);
            } catch (IOException | RuntimeException | Error e) {
                giveBack(lock, e);
                throw e;
            }
        } catch (IOException e) {
            throw unusable(config.folder(), e);
        }
    }

    private static MessageLog start(LogConfig config, Consumer<? super LogEntry> visitor, Host host, FolderLock lock)
            throws IOException {
        LogRecovery recovery = LogRecovery.recover(config.folder(), visitor, host);
        MessageLog log = new MessageLog(config, host, lock, recovery);
        try {
            log.codec.writerStarted(new WriterStarted(host.wallTimeMs().getAsLong(), host.pid(), host.boot()));
            log.publish(NO_PAYLOAD, 0);
        } catch (RuntimeException | Error e) {
            log.appender.close();
            throw e;
        }
        LOG.info("log {}: open at position {}, epoch {}, {} bytes in {} files", config.folder(), log.position,
                log.epoch, recovery.scan().bytes(), recovery.scan().files());
        return log;
    }

    private static void giveBack(FolderLock lock, Throwable failure) {
        try {
            lock.close();
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private static LogException unusable(Path folder, IOException e) {
        return new LogException(folder, LogException.NO_POSITION, "cannot be opened: " + e,
                "check that the folder is local, writable and not full", e);
    }

    /**
     * Reads a log from its first record to its end or its first defect. Needs no lock and changes nothing: beside a
     * living writer the record being written may show as a torn tail.
     *
     * @param visitor sees each whole record in order; what it throws ends the scan
     * @throws LogException if the folder cannot be read
     */
    public static LogScan scan(Path folder, Consumer<? super LogEntry> visitor) {
        try {
            return LogReader.read(folder, visitor);
        } catch (IOException e) {
            throw new LogException(folder, LogException.NO_POSITION, "cannot be read: " + e,
                    "check the folder's name and rights", e);
        }
    }

    /**
     * Logs a message that came for a mailbox. The payload's remaining bytes are its beginning and stand inline; what
     * is missing to its length follows by {@link #appendChunk}. The buffers' positions are kept.
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
        codec.arrival(arrival);
        return publish(payload, (int) bytes);
    }

    /**
     * Logs a further piece of a message's payload. Pieces of different messages may interleave.
     *
     * @param arrivalPosition what {@link #appendArrival} returned for the message
     * @param offset of the piece in the whole payload, bytes
     * @param payload in order, 1 to {@link #MAX_PAYLOAD_BYTES} bytes together
     * @return the piece's own position, or {@link #NO_ROOM}
     */
    public long appendChunk(long job, int rank, long arrivalPosition, long offset, ByteBuffer... payload) {
        long bytes = begin(payload);
        if (arrivalPosition < 1 || arrivalPosition > position || offset < 0 || bytes == 0) {
            throw new IllegalArgumentException("job " + job + " rank " + rank + ": chunk of " + bytes + " bytes at "
                    + offset + " for the arrival at " + arrivalPosition + ", log is at " + position);
        }
        if (bytes == NO_ROOM) {
            return NO_ROOM;
        }
        codec.chunk(job, rank, arrivalPosition, offset);
        return publish(payload, (int) bytes);
    }

    /** Logs a determinant; returns its position, or {@link #NO_ROOM}. */
    public long appendDelivery(Delivery delivery) {
        if (begin(NO_PAYLOAD) == NO_ROOM) {
            return NO_ROOM;
        }
        codec.delivery(delivery);
        return publish(NO_PAYLOAD, 0);
    }

    /** Logs failed polls that rode on an output frame; returns the record's position, or {@link #NO_ROOM}. */
    public long appendPolls(Polls polls) {
        if (begin(NO_PAYLOAD) == NO_ROOM) {
            return NO_ROOM;
        }
        codec.polls(polls);
        return publish(NO_PAYLOAD, 0);
    }

    /** Logs that a job began; returns the record's position, or {@link #NO_ROOM}. */
    public long appendJobOpened(JobOpened job) {
        byte[] name = job.name().getBytes(StandardCharsets.UTF_8);
        if (name.length > MAX_NAME_BYTES) {
            throw new IllegalArgumentException("job " + job.job() + ": name of " + name.length
                    + " bytes, must be at most " + MAX_NAME_BYTES);
        }
        ByteBuffer[] payload = {ByteBuffer.wrap(name)};
        long bytes = begin(payload);
        if (bytes == NO_ROOM) {
            return NO_ROOM;
        }
        codec.jobOpened(job);
        return publish(payload, (int) bytes);
    }

    /** Logs that a job ended; returns the record's position, or {@link #NO_ROOM}. */
    public long appendJobClosed(JobClosed job) {
        if (begin(NO_PAYLOAD) == NO_ROOM) {
            return NO_ROOM;
        }
        codec.jobClosed(job);
        return publish(NO_PAYLOAD, 0);
    }

    /** Checks that an append may happen at all. Returns the payload's bytes, or {@link #NO_ROOM}. */
    private long begin(ByteBuffer[] payload) {
        owner.require();
        if (closed || appender.broken()) {
            throw new LogException(folder, closed ? "is closed" : "is broken by an earlier failure", "open it again");
        }
        long bytes = 0;
        for (ByteBuffer piece : payload) {
            bytes += piece.remaining();
        }
        if (bytes > MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException("payload of " + bytes + " bytes in one record, must be at most "
                    + MAX_PAYLOAD_BYTES + ": append the rest as chunks");
        }
        return room.hasRoom() ? bytes : NO_ROOM;
    }

    private long publish(ByteBuffer[] payload, int payloadBytes) {
        int sealed = codec.seal(position + 1, epoch, hash, payload, payloadBytes);
        int bytes = codec.head().remaining() + payloadBytes;
        try {
            place = appender.append(codec.head(), payload);
        } catch (Throwable e) {
            throw new LogException(folder, position + 1, "append failed: " + e,
                    appender.broken() ? "open the log again" : "nothing was appended", e);
        }
        hash = sealed;
        position++;
        room.taken(bytes);
        counters.appended(position, bytes);
        counters.rolled(appender.rolls());
        return position;
    }

    /**
     * Where the record appended last stands: what a {@link #reader()} finds it by, beside its position. Good for the life
     * of its file, in this process and later ones.
     */
    public long place() {
        owner.require();
        return place;
    }

    /** Reads payload back by place, beside the appends; its user closes it. Any thread. */
    public PayloadReader reader() {
        return new PayloadReader(folder);
    }

    /** Whether appends are accepted: the file system has at least {@link LogConfig#minFreeBytes()} free. */
    public boolean hasRoom() {
        owner.require();
        return room.hasRoom();
    }

    /**
     * Whether there is room to let writers run ahead: twice {@link LogConfig#minFreeBytes()}. Whoever slows them down once
     * there is not has that much until appends are refused.
     */
    public boolean hasAmpleRoom() {
        owner.require();
        return room.isAmple();
    }

    /** Called by the owner: the thread of the next append becomes the owner. The caller orders the two threads. */
    public void handOver() {
        owner.handOver();
    }

    /** This writer's epoch, one more than the highest found at open. Any thread. */
    public long epoch() {
        return epoch;
    }

    /** Position of the last record. Any thread. */
    public long position() {
        return counters.snapshot().position();
    }

    /** A snapshot of the counters. Any thread. */
    public LogStats stats() {
        return counters.snapshot();
    }

    /** Closes the log and gives the folder back. Idempotent; no append may be under way. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        appender.close();
        try {
            lock.close();
        } catch (IOException e) {
            throw unusable(folder, e);
        }
    }
}
