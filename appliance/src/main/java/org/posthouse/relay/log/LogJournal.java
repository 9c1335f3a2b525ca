package org.posthouse.relay.log;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.posthouse.core.CheckpointImage;
import org.posthouse.core.Job;
import org.posthouse.core.Journal;
import org.posthouse.core.JournalBroken;
import org.posthouse.core.JournalFull;
import org.posthouse.core.Message;
import org.posthouse.core.Parcel;
import org.posthouse.core.Receive;
import org.posthouse.core.RecoveryPoint;
import org.posthouse.logstore.LogReading;
import org.posthouse.logstore.LogSync;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.RankLog;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.image.ImageStore;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.io.BufferParcel;
import org.posthouse.wire.JobOpen;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The journal of all shards, kept in the relay's one message log. The log has one writer at a time: shards take turns
 * under this object's monitor.
 *
 * <p>An append copies into mapped memory, on the thread that matched the message. A read copies at most one frame of 64
 * KiB, nearly always from the page cache. Opening and closing block, and run on other threads.
 */
public final class LogJournal implements Journal {
    private static final long CLOSE_MS_MAX = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(LogJournal.class);

    private final ByteBuffer[] payload = new ByteBuffer[1];

    /** Runs blocking work that nobody waits for: it stores images and deletes what is no longer needed. */
    private final ScheduledThreadPoolExecutor background = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("posthouse-images").factory(), new ThreadPoolExecutor.DiscardPolicy());

    /** Place of the record that was appended last. */
    private long place;

    /**
     * The open jobs of which a record could not be logged or read back, each with the cause. Nothing of such a job is
     * logged afterwards. The log thus holds a prefix of what happened, from which the relay's next process may
     * continue. Written under this object's lock, read by any thread.
     */
    private final Map<Long, String> broken = new ConcurrentHashMap<>();

    /** Jobs whose end could not be logged, with their exit statuses. Guarded by this object's lock. */
    private final Map<Long, Integer> unended = new HashMap<>();

    /** The other readers of the log, beside {@link #frames}. */
    private final List<Runnable> onCut = new ArrayList<>();

    private LoggedFrames frames;
    private ImageStore images;
    private RestartPoints points;
    private LogSpace room;

    /**
     * Progress of reading the log while it is being opened; otherwise null. Written by the thread that opens the log,
     * read by any.
     */
    private volatile LogReading reading;

    /**
     * Why the last append failed or the next one will fail; otherwise null. Written under this object's lock, read by
     * any thread.
     */
    private volatile String failure;

    /**
     * Whether the last check found the log's files not writable. Appends into reserved blocks may still succeed then,
     * so the next append repeats the check first. Guarded by this object's lock.
     */
    private boolean doubted;

    /**
     * Null unless the log is open. Written by the thread that opens it, as its last step, and by the one that closes it; read
     * by any thread.
     */
    private volatile MessageLog log;

    /**
     * Opens the log, which recovers and verifies it. Blocks.
     *
     * @param relay name of the relay that the log must belong to
     * @param epochMin the relay's epoch. If the log has seen this epoch or a later one, the relay uses the latest seen
     *         plus one.
     * @param limits how much disk space the log may use
     * @param sharedBytes bytes that may be logged beyond what each rank may have under way
     * @param relief acts when the log comes near its limit
     * @param disk syncs the log before files are deleted
     * @return the jobs that were open when the log was last written, and continue
     * @throws IllegalStateException if the log belongs to another relay; it is left unchanged
     */
    public List<LoggedJob> open(
            Path folder, String relay, long epochMin, LogLimits limits, long sharedBytes, LogSpace.Relief relief, LogSyncWaiter disk) throws IOException {
        LogTakeover.makeFolder(folder);
        long limitBytes = limits.bytes(folder);
        MessageLog opened = read(folder, relay, limitBytes, epochMin);
        List<LoggedJob> jobs;
        List<Long> ended;
        try {
            jobs = LogTakeover.jobs(opened, relay);
            images = new ImageStore(imageFolder(folder));
            ended = images.retain(job -> opened.book().job(job) != null);
            opened.handOver();
        } catch (RuntimeException | Error e) {
            opened.close();
            throw e;
        }
        points = new RestartPoints(this, opened, images, disk, this::isBroken);
        frames = new LoggedFrames(this, opened.reader(), points);
        LogWatermarks logWatermarks = new LogWatermarks(limitBytes, limits.highMarkPercent(), sharedBytes);
        room = new LogSpace(this, opened, points, logWatermarks, limits, relief, background,
                () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
        room.onCut(this::wasCut);
        log = opened;
        if (!ended.isEmpty()) {
            background.execute(() -> forgetImages(ended));
        }
        background.scheduleWithFixedDelay(room::look, LogSpace.LOOK_MS, LogSpace.LOOK_MS, TimeUnit.MILLISECONDS);
        background.scheduleWithFixedDelay(() -> tryWriting(opened), LogSpace.LOOK_MS, LogSpace.LOOK_MS, TimeUnit.MILLISECONDS);
        return jobs;
    }

    /**
     * Checks that the files are writable. Appends into reserved blocks succeed even if the file system has become
     * read-only, and then never reach the disk.
     */
    private void tryWriting(MessageLog opened) {
        try {
            opened.requireWritable();
            doubt(null);
            endUnended();
        } catch (LogException e) {
            doubt(e.getMessage());
        }
    }

    private synchronized void doubt(String why) {
        if (doubted != (why != null)) {
            LOG.warn("the log takes {}", why == null ? "records again" : "nothing: " + why);
            doubted = why != null;
            failure = why;
        }
    }

    private MessageLog read(Path folder, String relay, long limitBytes, long epochMin) {
        LogReading whole = LogReading.of(folder);
        reading = whole;
        try {
            return LogTakeover.open(folder, relay, limitBytes, epochMin, whole);
        } finally {
            reading = null;
        }
    }

    /** How far the log has been read, in words; empty unless it is being opened. Thread-safe. */
    public Optional<String> reading() {
        return Optional.ofNullable(reading).map(LogReading::toString);
    }

    /**
     * Registers a reader that is called, under the monitor, whenever files of the log are cut. Called before the log is
     * opened.
     */
    public void onCut(Runnable reader) {
        onCut.add(reader);
    }

    private void wasCut(List<Path> gone) {
        assert Thread.holdsLock(this);
        frames.forget(gone);
        onCut.forEach(Runnable::run);
    }

    /** The relay's epoch. The log must be open. */
    public long relayEpoch() {
        return log.relayEpoch();
    }

    /**
     * The folder of images, beside that of the log. Relays of one site that share a data folder thus share no images.
     */
    static Path imageFolder(Path logFolder) {
        String name = logFolder.getFileName().toString();
        return logFolder.resolveSibling(name.startsWith("log") ? "images" + name.substring("log".length()) : name + "-images");
    }

    /** Closes the log. Later appends fail, and records that are not yet synced do not become safe. Blocks. */
    public Void close() {
        MessageLog open;
        synchronized (this) {
            open = log;
            log = null;
        }
        background.shutdown();
        if (open != null) {
            open.discardNoMore();
            awaitBackground();
            frames.close();
            open.close();
        }
        return null;
    }

    private void awaitBackground() {
        try {
            if (!background.awaitTermination(CLOSE_MS_MAX, TimeUnit.MILLISECONDS)) {
                LOG.warn("an image is still being written");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Logs the opening of a job, and returns the journal of the job. */
    public synchronized Journal forJob(JobOpen job) {
        append(job.job(), () -> {
            if (!log.hasRoomNow()) {
                throw new JournalFull("job " + Job.hexId(job.job()) + " cannot be logged: the log's disk is full");
            }
            return log.appendJobOpened(new LogRecord.JobOpened(job.job(), job.size(), job.durability().code()), job.encode());
        });
        return this;
    }

    /** The thread that stores images. */
    public ScheduledExecutorService background() {
        return background;
    }

    /** Whether jobs can be logged. */
    public boolean isOpen() {
        return log != null;
    }

    /**
     * Logs the end of a job; its records are then no longer needed.
     *
     * @return whether the end is logged. If not, the relay retries until it is; until then its next process continues
     *         the job.
     */
    public synchronized boolean jobClosed(long job, int status) {
        broken.remove(job);
        points.forget(job);
        unended.put(job, status);
        return tryAppend("has ended", job, () -> end(job));
    }

    private void end(long job) {
        appendOne(job, () -> log.append(new LogRecord.JobClosed(job, unended.get(job))));
        unended.remove(job);
        background.execute(() -> forgetImages(List.of(job)));
    }

    /**
     * Retries to log the ends of jobs. The log keeps all records of a job that is open in it, so other jobs would wait
     * for room although the disk is writable again.
     */
    private synchronized void endUnended() {
        try {
            List.copyOf(unended.keySet()).forEach(this::end);
        } catch (JournalBroken e) {
            LOG.debug("as was said when it ended: {}", e.getMessage());
        }
    }

    /** Whether this job has ended but is still open in the log. Tries once more to log its end. */
    public synchronized boolean isUnended(long job) {
        return unended.containsKey(job) && !tryAppend("has ended", job, () -> end(job));
    }

    /**
     * Deletes the images of ended jobs. The next start deletes those that may not, or cannot, be deleted now. Runs on
     * the background thread.
     */
    private void forgetImages(List<Long> ended) {
        if (!points.mayDelete()) {
            return;
        }
        for (long job : ended) {
            try {
                images.forget(job);
            } catch (LogException e) {
                LOG.warn("job {} has ended, and its images stay: {}", Job.hexId(job), e.getMessage());
            }
        }
    }

    /** Appends a record whose failure does not stop the caller. */
    private boolean tryAppend(String what, long job, Runnable append) {
        try {
            append.run();
            return true;
        } catch (JournalBroken e) { // The caller continues without the record.
            LOG.warn("job {} {}, which is not in the log: {}", Job.hexId(job), what, e.getMessage());
            return false;
        }
    }

    /**
     * Logs that restarted ranks of the job sent other messages than before, so that the number outlives a restart of
     * this relay.
     *
     * @param count number of such messages
     * @param first description of the first one
     */
    public synchronized void diverged(long job, long count, String first) {
        tryAppend("has diverged", job,
                () -> appendOne(job, () -> log.appendDiverged(new LogRecord.Diverged(job, count), StandardCharsets.UTF_8.encode(first))));
    }

    /** The points from which the jobs' ranks can be restarted. The log must be open. */
    public RestartPoints points() {
        return points;
    }

    /**
     * Whether messages of logged jobs must wait, because the log has no room: its disk is full or its limit is reached.
     * Thread-safe.
     */
    public boolean isFull() {
        return log != null && room.isFull();
    }

    /**
     * Why the log accepts no records, as the last append or the last check of its files showed; empty if it does. A
     * lack of room does not count. Thread-safe.
     */
    public Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    /** Which rank's checkpoints cannot be kept, and why; empty if all can be kept, or without a log. Thread-safe. */
    public Optional<String> unsaved() {
        return log == null ? Optional.empty() : points.unsaved();
    }

    /** The state of the log; {@link LogStatus#NONE} without a log. Thread-safe. */
    public LogStatus status() {
        return log == null ? LogStatus.NONE : room.status();
    }

    /** The room that the log takes. The log must be open. */
    public LogSpace room() {
        return room;
    }

    /**
     * Why a new job of any user would not be logged, if each rank may have {@code rankBytes} under way; empty if it
     * would be, or without a log. Thread-safe.
     */
    public Optional<String> refusesNew(long rankBytes) {
        return log == null ? Optional.empty() : room.refusesNew(rankBytes);
    }

    /** Bytes reserved for a job's ranks; 0 without a log. Thread-safe. */
    public long reservedBytes(long job) {
        return log == null ? 0 : room.reservations().of(job);
    }

    /** Releases the room of a job that has ended or was not opened, if it has any. */
    public synchronized void dismiss(long job) {
        broken.remove(job);
        if (log != null) {
            room.dismiss(job);
        }
    }

    /** Position of the oldest record in the log; 0 without a log. Thread-safe. */
    public long firstPosition() {
        MessageLog open = log;
        return open == null ? 0 : open.firstPosition();
    }

    /** Size of the log's files in bytes; 0 without a log. Thread-safe. */
    public long usedBytes() {
        MessageLog open = log;
        return open == null ? 0 : open.usedBytes();
    }

    /** Syncs the log to its disk; for use on a thread of its own. The log must be open. */
    public LogSync sync() {
        return log.sync();
    }

    /** Position of the log's last record; empty without a log. Thread-safe. */
    public Optional<Long> lastPosition() {
        return Optional.ofNullable(log).map(MessageLog::position);
    }

    @Override
    public synchronized void arrival(long job, Message message, Parcel head) {
        arrival(job, message, head, null);
    }

    @Override
    public synchronized void arrivalDelivered(
            long job, int incarnation, long delivery, Receive receive, Message message, Parcel head) {
        arrival(job, message, head, new LogRecord.Receipt(incarnation, delivery, receive.ordinal()));
    }

    private void arrival(long job, Message message, Parcel head, LogRecord.Receipt receipt) {
        LogRecord.Arrival record = new LogRecord.Arrival(
                job,
                message.destination(),
                message.context(),
                message.source(),
                message.tag(),
                message.sequence(),
                message.datatype(),
                message.elements(),
                message.bytes(),
                form(message),
                message.isStorable(),
                receipt);
        long position = append(job, () -> log.appendArrival(record, payload(head)));
        message.logged(position, place);
    }

    @Override
    public synchronized long chunk(long job, Message message, long offset, Parcel chunk) {
        append(job, () -> log.appendChunk(job, message.destination(), message.logPosition(), offset, payload(chunk)));
        return place;
    }

    private static LogRecord.Form form(Message message) {
        return switch (message.form()) {
            case SEND -> LogRecord.Form.SEND;
            case EAGER -> LogRecord.Form.EAGER;
            case OFFER -> LogRecord.Form.OFFER;
            default -> throw new IllegalStateException(message + " came as " + message.form());
        };
    }

    @Override
    public synchronized void delivery(long job, int rank, int incarnation, long delivery, Message message) {
        append(job, () -> log.appendDelivery(new LogRecord.Delivery(
                job,
                rank,
                new LogRecord.Receipt(incarnation, delivery, message.receive().ordinal()),
                message.context(),
                message.source(),
                message.sequence(),
                message.logPosition(),
                message.logPlace())));
    }

    @Override
    public synchronized void polls(long job, int rank, int incarnation, long failedPolls) {
        append(job, () -> log.append(new LogRecord.Polls(job, rank, incarnation, failedPolls)));
    }

    @Override
    public synchronized void events(
            long job, int rank, int incarnation, long first, int count, boolean limited, Parcel items) {
        append(job, () -> log.appendEvents(new LogRecord.Events(job, rank, incarnation, count, first, limited), payload(items)));
    }

    @Override
    public synchronized void incarnation(long job, int rank, int incarnation) {
        append(job, () -> log.append(new LogRecord.Incarnation(job, rank, incarnation, 0, 0)));
    }

    @Override
    public synchronized void withdrawn(long job, Message offer) {
        append(job, () -> log.appendWithdrawn(new LogRecord.Withdrawn(
                job,
                offer.destination(),
                offer.context(),
                offer.source(),
                offer.sequence(),
                offer.logPosition())));
    }

    @Override
    public synchronized void finalized(long job, int rank, int incarnation) {
        append(job, () -> log.append(new LogRecord.Finalized(job, rank, incarnation, false)));
    }

    /** A failure to log this does no harm: the records that the rank needed stay in the log. */
    @Override
    public synchronized void done(long job, int rank, int incarnation) {
        if (log != null && !isDone(job, rank)) {
            tryAppend("has a rank that is done", job, () -> appendOne(job, () -> log.append(new LogRecord.Finalized(job, rank, incarnation, true))));
            if (isDone(job, rank)) {
                points.needsNone(job, rank);
            }
            room.lookSoon();
        }
    }

    private boolean isDone(long job, int rank) {
        RankLog history = log.book().rank(job, rank);
        log.handOver();
        return history != null && history.done();
    }

    /**
     * Stops logging for the job. A message that could not be read back may be logged as delivered, and no record may
     * follow it.
     */
    @Override
    public synchronized void giveUp(long job, String why) {
        broken.putIfAbsent(job, why);
    }

    @Override
    public boolean isBroken(long job) {
        return !broken.isEmpty() && broken.containsKey(job);
    }

    @Override
    public long position() {
        MessageLog open = log;
        return open == null ? Long.MAX_VALUE : open.position();
    }

    @Override
    public synchronized void checkpoint(long job, int rank, RecoveryPoint at, CheckpointImage image) {
        append(job, () -> log.append(new LogRecord.CheckpointTaken(job, rank, point(at, image))));
        if (!at.waits().isEmpty()) {
            room.pinned(at.pin(), at.waits());
        }
        room.lookSoon();
    }

    /**
     * The log's record of a point from which a rank can be restarted. {@code image} is null if the point is the start
     * of its program.
     */
    public static Checkpoint point(RecoveryPoint at, CheckpointImage image) {
        return new Checkpoint(
                image == null ? 0 : image.number(),
                image == null ? 0 : image.bytes(),
                at.pin(),
                at.events(),
                at.deliveries(),
                at.polls(),
                image == null ? 0 : image.crc(),
                image == null,
                at.out(),
                at.err());
    }

    @Override
    public synchronized boolean hasAmpleRoom() {
        if (log == null) {
            return false; // The relay has stopped after the message that asks was logged.
        }
        try {
            return log.hasAmpleRoom();
        } finally {
            log.handOver();
        }
    }

    @Override
    public boolean holds() {
        return room.holds();
    }

    @Override
    public synchronized Parcel head(long job, Message message, boolean payload) {
        return frames.head(job, message, payload);
    }

    @Override
    public synchronized Parcel piece(long job, Message message, long offset) {
        return frames.piece(job, message, offset);
    }

    private ByteBuffer[] payload(Parcel parcel) {
        assert Thread.holdsLock(this);
        BufferParcel frame = (BufferParcel) parcel;
        payload[0] = frame.buffer().nioBuffer(frame.payloadIndex(), frame.payloadBytes());
        return payload;
    }

    /**
     * Appends a record of a job and stores its place. Hands the log over afterwards, even after a failure, because
     * another thread may make the next append.
     *
     * @return the record's position
     */
    private long append(long job, LongSupplier record) {
        try {
            return appendOne(job, record);
        } catch (JournalBroken e) {
            broken.put(job, e.getMessage());
            throw e;
        }
    }

    private long appendOne(long job, LongSupplier record) {
        assert Thread.holdsLock(this);
        if (log == null) {
            throw broken(job, "its relay has stopped", null);
        }
        if (isBroken(job)) {
            throw new JournalBroken(broken.get(job), null);
        }
        try {
            if (doubted) {
                log.requireWritable();
                doubt(null);
            }
            long position = record.getAsLong();
            if (position == MessageLog.NO_ROOM) {
                room.appended();
                throw broken(job, "the log's disk is full, and what was reserved is used up", null);
            }
            place = log.place();
            if (failure != null) { // Avoids a volatile write per record; other threads read the field.
                failure = null;
            }
            room.appended();
            return position;
        } catch (LogException | UncheckedIOException e) {
            failure = e.getMessage();
            throw broken(job, failure, e);
        } finally {
            log.handOver();
        }
    }

    private static JournalBroken broken(long job, String why, Exception cause) {
        return new JournalBroken("job " + Job.hexId(job) + " cannot be logged: " + why, cause);
    }
}
