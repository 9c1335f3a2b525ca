package org.posthouse.relay;

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
import org.posthouse.core.ImageNote;
import org.posthouse.core.Job;
import org.posthouse.core.Journal;
import org.posthouse.core.JournalBroken;
import org.posthouse.core.JournalFull;
import org.posthouse.core.Message;
import org.posthouse.core.Parcel;
import org.posthouse.core.Receive;
import org.posthouse.core.Standing;
import org.posthouse.logstore.Checkpoint;
import org.posthouse.logstore.ImageStore;
import org.posthouse.logstore.LogException;
import org.posthouse.logstore.LogReading;
import org.posthouse.logstore.LogRecord;
import org.posthouse.logstore.LogSync;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.RankLog;
import org.posthouse.wire.JobOpen;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shards' journal over the relay's one message log. The log has one writer at a time: shards take turns, under this
 * object's monitor. Appends are copies into mapped memory, made where the message is matched; so is reading back, at
 * most a frame of 64 KiB at a time, nearly always from the page cache. Opening and closing block and are not made there.
 */
final class LogJournal implements Journal {
    private static final long CLOSE_MS_MAX = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(LogJournal.class);

    private final ByteBuffer[] payload = new ByteBuffer[1];

    /** Where what blocks and nobody waits for is done: images are stored, and what is not needed any more is deleted. */
    private final ScheduledThreadPoolExecutor background = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("posthouse-images").factory(), new ThreadPoolExecutor.DiscardPolicy());

    /** Of the record that was appended last. */
    private long place;

    /**
     * For each open job of which a record could not be logged, or read back, why. None of it is logged from there on: what the log has of it is to be a
     * prefix of what happened, from which the relay's next process may go on. Written under this object's lock, read by any thread.
     */
    private final Map<Long, String> broken = new ConcurrentHashMap<>();

    /** Jobs whose end could not be logged, and the status of each. Guarded by this object's lock. */
    private final Map<Long, Integer> unended = new HashMap<>();

    /** Who reads the log beside {@link #frames}. */
    private final List<Runnable> onCut = new ArrayList<>();

    private LoggedFrames frames;
    private ImageStore images;
    private RestartPoints points;
    private LogRoom room;

    /** How far the log has been read, while it is being opened; else null. Written by the thread that opens it, read by any. */
    private volatile LogReading reading;

    /** Why the last append failed, or the next will; null if it did not. Written under this object's lock, read by any thread. */
    private volatile String failure;

    /** Whether its files could not be written when that was tried last, whatever is reserved for appends: before the next it is tried again. Guarded by this object's lock. */
    private boolean doubted;

    /** Null unless it is open. Written, last, by the thread that opens it and the one that closes it; read by any. */
    private volatile MessageLog log;

    /**
     * Opens the log, and so recovers and verifies it. Blocks.
     *
     * @param relay whose log it is
     * @param epochMin the relay's epoch, unless the log has seen that or a later one: then one more
     * @param limits how much room it may take
     * @param sharedBytes what may come to it beyond what each rank may have under way
     * @param relief does what there is to do when it comes near that
     * @param disk what the log is to be on before anything goes
     * @return the jobs that were open when the log was last written, and go on
     * @throws IllegalStateException if it is another relay's, which is left as it is
     */
    List<LoggedJob> open(
            Path folder, String relay, long epochMin, LogLimits limits, long sharedBytes, LogRoom.Relief relief, LogSafety disk) throws IOException {
        LeftLog.makeFolder(folder);
        long limitBytes = limits.bytes(folder);
        MessageLog opened = read(folder, relay, limitBytes, epochMin);
        List<LoggedJob> jobs;
        List<Long> ended;
        try {
            jobs = LeftLog.jobs(opened, relay);
            images = new ImageStore(imageFolder(folder));
            ended = images.retain(job -> opened.book().job(job) != null);
            opened.handOver();
        } catch (RuntimeException | Error e) {
            opened.close();
            throw e;
        }
        points = new RestartPoints(this, opened, images, disk, this::isBroken);
        frames = new LoggedFrames(this, opened.reader(), points);
        Pressure pressure = new Pressure(limitBytes, limits.highMarkPercent(), sharedBytes);
        room = new LogRoom(this, opened, points, pressure, limits, relief, background,
                () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
        room.onCut(this::wasCut);
        log = opened;
        if (!ended.isEmpty()) {
            background.execute(() -> forgetImages(ended));
        }
        background.scheduleWithFixedDelay(room::look, LogRoom.LOOK_MS, LogRoom.LOOK_MS, TimeUnit.MILLISECONDS);
        background.scheduleWithFixedDelay(() -> tryWriting(opened), LogRoom.LOOK_MS, LogRoom.LOOK_MS, TimeUnit.MILLISECONDS);
        return jobs;
    }

    /** What is logged into blocks that are reserved may never come to a file system that has become read-only. */
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
            return LeftLog.open(folder, relay, limitBytes, epochMin, whole);
        } finally {
            reading = null;
        }
    }

    /** How far the log has been read, in words, while it is being opened. Thread-safe. */
    Optional<String> reading() {
        return Optional.ofNullable(reading).map(LogReading::toString);
    }

    /** Has this called, under the monitor, whenever files of the log go. Called before it is opened. */
    void onCut(Runnable reader) {
        onCut.add(reader);
    }

    private void wasCut(List<Path> gone) {
        assert Thread.holdsLock(this);
        frames.forget(gone);
        onCut.forEach(Runnable::run);
    }

    /** The relay's epoch. Only of an open log. */
    long relayEpoch() {
        return log.relayEpoch();
    }

    /** Beside the log: relays of one site that share the data folder share no images. */
    static Path imageFolder(Path logFolder) {
        String name = logFolder.getFileName().toString();
        return logFolder.resolveSibling(name.startsWith("log") ? "images" + name.substring("log".length()) : name + "-images");
    }

    /** Nothing is appended from here on, and nothing that waits for it becomes safe. Blocks. */
    Void close() {
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

    /** The journal of a job that is to be logged. */
    synchronized Journal forJob(JobOpen job) {
        append(job.job(), () -> {
            if (!log.hasRoomNow()) {
                throw new JournalFull("job " + Job.hexId(job.job()) + " cannot be logged: the log's disk is full");
            }
            return log.appendJobOpened(new LogRecord.JobOpened(job.job(), job.size(), job.durability().code()), job.encode());
        });
        return this;
    }

    /** The thread that stores images. */
    ScheduledExecutorService background() {
        return background;
    }

    /** Whether jobs can be logged. */
    boolean isOpen() {
        return log != null;
    }

    /**
     * The job has ended: nothing of it is needed any more.
     *
     * @return whether that is in the log: until it is, which is tried again and again, the relay's next process goes on with it
     */
    synchronized boolean jobClosed(long job, int status) {
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

    /** The log keeps all that a job needs which is open in it, so the others would wait for room, though there is a disk again. */
    private synchronized void endUnended() {
        try {
            List.copyOf(unended.keySet()).forEach(this::end);
        } catch (JournalBroken e) {
            LOG.debug("as was said when it ended: {}", e.getMessage());
        }
    }

    /** Whether this is a job that has ended and stands in the log as open, as far as that cannot be mended now. */
    synchronized boolean isUnended(long job) {
        return unended.containsKey(job) && !tryAppend("has ended", job, () -> end(job));
    }

    /** Those that may not, or cannot, be deleted the next start comes to again. On the background thread. */
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

    /** Of what goes on whether it is logged or not. */
    private boolean tryAppend(String what, long job, Runnable append) {
        try {
            append.run();
            return true;
        } catch (JournalBroken e) { // What else happens to it does not depend on this.
            LOG.warn("job {} {}, which is not in the log: {}", Job.hexId(job), what, e.getMessage());
            return false;
        }
    }

    /**
     * Ranks of the job do not send again what they had sent: kept for whoever asks once this relay was restarted.
     *
     * @param count of such messages
     * @param first of them, in words
     */
    synchronized void diverged(long job, long count, String first) {
        tryAppend("has diverged", job,
                () -> appendOne(job, () -> log.appendDiverged(new LogRecord.Diverged(job, count), StandardCharsets.UTF_8.encode(first))));
    }

    /** From where its ranks can be started again. Only of an open log. */
    RestartPoints points() {
        return points;
    }

    /** Whether nothing may be taken in that is to be logged: the log's disk is full. Thread-safe. */
    boolean isFull() {
        return log != null && room.isFull();
    }

    /** Why it takes nothing, as the last append or a look at its files has shown; empty if it does. Not for want of room. Thread-safe. */
    Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    /** Which rank's checkpoints cannot be kept, and why; empty if all can, or without a log. Thread-safe. */
    Optional<String> unsaved() {
        return log == null ? Optional.empty() : points.unsaved();
    }

    /** How the log stands; as if all were well without one. Thread-safe. */
    LogStatus status() {
        return log == null ? LogStatus.NONE : room.status();
    }

    /** The room that it takes. Only of an open log. */
    LogRoom room() {
        return room;
    }

    /** Why no new job would be logged, whosever it is, if a rank may have so much under way; empty if one would, or without a log. Thread-safe. */
    Optional<String> refusesNew(long rankBytes) {
        return log == null ? Optional.empty() : room.refusesNew(rankBytes);
    }

    /** Room that is reserved for a job's ranks; 0 without a log. Thread-safe. */
    long reservedBytes(long job) {
        return log == null ? 0 : room.reservations().of(job);
    }

    /** A job has ended, or was not opened: it takes no room any more, if it has. */
    synchronized void dismiss(long job) {
        broken.remove(job);
        if (log != null) {
            room.dismiss(job);
        }
    }

    /** Position of the oldest record that is there; 0 without a log. Thread-safe. */
    long firstPosition() {
        MessageLog open = log;
        return open == null ? 0 : open.firstPosition();
    }

    /** Bytes of the log's files; 0 without a log. Thread-safe. */
    long usedBytes() {
        MessageLog open = log;
        return open == null ? 0 : open.usedBytes();
    }

    /** Makes the log safe on its disk, for a thread of its own. Only of an open log. */
    LogSync sync() {
        return log.sync();
    }

    /** Of the log's last record. Thread-safe; empty without a log. */
    Optional<Long> lastPosition() {
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

    /** If that cannot be logged nobody is the worse for it: what the rank needed stays. */
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

    /** What could not be read back may be logged as delivered: nothing goes behind that. */
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
    public synchronized void checkpoint(long job, int rank, Standing at, ImageNote image) {
        append(job, () -> log.append(new LogRecord.CheckpointTaken(job, rank, point(at, image))));
        if (!at.waits().isEmpty()) {
            room.pinned(at.pin(), at.waits());
        }
        room.lookSoon();
    }

    /** What the log says of a point that a rank can be started again from; {@code image} is null where its program began. */
    static Checkpoint point(Standing at, ImageNote image) {
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
            return false; // The relay has stopped since the message was logged that asks.
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
     * Appends a record of a job, and notes its place. The next may be another thread's, whatever becomes of this one.
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
            if (failure != null) { // Not written for each record: others read it.
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
