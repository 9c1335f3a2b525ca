package org.posthouse.relay.log;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.posthouse.core.Job;
import org.posthouse.core.Journal;
import org.posthouse.core.JournalFull;
import org.posthouse.logstore.LogReading;
import org.posthouse.logstore.LogSync;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.image.ImageStore;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.wire.JobOpen;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The relay's one message log: opens and closes it, logs the opening and the end of jobs, and reports its state. Its parts
 * use the log in turns, under the monitor of the appender. Opening and closing block, and run on other threads.
 */
public final class RelayLog {
    private static final long CLOSE_MS_MAX = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(RelayLog.class);

    /** Runs blocking work that nobody waits for: it stores images and deletes what is no longer needed. */
    private final ScheduledThreadPoolExecutor background = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("posthouse-images").factory(), new ThreadPoolExecutor.DiscardPolicy());

    /** The other readers of the log, beside {@link #frames}. */
    private final List<Runnable> onCut = new ArrayList<>();

    private final LogAppender appender = new LogAppender();

    // Written by the thread that opens the log, before the appender is opened, which publishes them.
    private LoggedFrames frames;
    private RestartPoints points;
    private LogSpace room;
    private LogJournal journal;
    private JobEndWriter jobEndWriter;

    /**
     * Progress of reading the log while it is being opened; otherwise null. Written by the thread that opens the log,
     * read by any.
     */
    private volatile LogReading reading;

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
        ImageStore images;
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
        points = new RestartPoints(appender, opened, images, disk, appender::isBroken);
        frames = new LoggedFrames(appender, opened.reader(), points);
        LogWatermarks logWatermarks = new LogWatermarks(limitBytes, limits.highMarkPercent(), sharedBytes);
        room = new LogSpace(appender, opened, points, logWatermarks, limits, relief, background,
                () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
        room.onCut(this::wasCut);
        journal = new LogJournal(appender, frames, points, room);
        jobEndWriter = new JobEndWriter(appender, points, images, background);
        appender.open(opened, room);
        if (!ended.isEmpty()) {
            background.execute(() -> jobEndWriter.deleteImages(ended));
        }
        background.scheduleWithFixedDelay(room::look, LogSpace.LOOK_MS, LogSpace.LOOK_MS, TimeUnit.MILLISECONDS);
        background.scheduleWithFixedDelay(() -> checkWritable(opened), LogSpace.LOOK_MS, LogSpace.LOOK_MS, TimeUnit.MILLISECONDS);
        return jobs;
    }

    private void checkWritable(MessageLog opened) {
        if (appender.checkWritable(opened)) {
            jobEndWriter.retry();
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

    /** The progress of reading the log, as text; empty unless it is being opened. Thread-safe. */
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
        assert Thread.holdsLock(appender);
        frames.forget(gone);
        onCut.forEach(Runnable::run);
    }

    /** The relay's epoch. The log must be open. */
    public long relayEpoch() {
        return appender.log().relayEpoch();
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
        MessageLog open = appender.close();
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
    public Journal forJob(JobOpen job) {
        appender.append(job.job(), log -> {
            if (!log.hasRoomNow()) {
                throw new JournalFull("job " + Job.hexId(job.job()) + " cannot be logged: the log's disk is full");
            }
            return log.appendJobOpened(new LogRecord.JobOpened(job.job(), job.size(), job.durability().code()), job.encode());
        });
        return journal;
    }

    /** The journal of all open jobs. The log must be open. */
    public Journal journal() {
        return journal;
    }

    /** The thread that stores images. */
    public ScheduledExecutorService background() {
        return background;
    }

    /** Whether jobs can be logged. */
    public boolean isOpen() {
        return appender.log() != null;
    }

    /**
     * Logs the end of a job; its records are then no longer needed.
     *
     * @return whether the end is logged. If not, the relay retries until it is; until then its next process continues
     *         the job.
     */
    public boolean jobClosed(long job, int status) {
        return jobEndWriter.closed(job, status);
    }

    /** Whether this job has ended but is still open in the log; false without a log. Tries once more to log its end. */
    public boolean isUnended(long job) {
        return jobEndWriter != null && jobEndWriter.isUnended(job);
    }

    /**
     * Logs that restarted ranks of the job sent other messages than before, so that the number outlives a restart of
     * this relay.
     *
     * @param count number of such messages
     * @param first description of the first one
     */
    public void diverged(long job, long count, String first) {
        appender.tryAppend(
                "has diverged", job,
                () -> appender.appendOptional(
                        job, log -> log.appendDiverged(new LogRecord.Diverged(job, count), StandardCharsets.UTF_8.encode(first))));
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
        return isOpen() && room.isFull();
    }

    /**
     * Why the log accepts no records, as the last append or the last check of its files showed; empty if it does. A
     * lack of room does not count. Thread-safe.
     */
    public Optional<String> failure() {
        return appender.failure();
    }

    /** Which rank's checkpoints cannot be kept, and why; empty if all can be kept, or without a log. Thread-safe. */
    public Optional<String> unsaved() {
        return !isOpen() ? Optional.empty() : points.unsaved();
    }

    /** The state of the log; {@link LogStatus#NONE} without a log. Thread-safe. */
    public LogStatus status() {
        return !isOpen() ? LogStatus.NONE : room.status();
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
        return !isOpen() ? Optional.empty() : room.refusesNew(rankBytes);
    }

    /** Bytes reserved for a job's ranks; 0 without a log. Thread-safe. */
    public long reservedBytes(long job) {
        return !isOpen() ? 0 : room.reservations().of(job);
    }

    /** Releases the room of a job that has ended or was not opened, if it has any. */
    public void dismiss(long job) {
        synchronized (appender) {
            appender.release(job);
            if (isOpen()) {
                room.dismiss(job);
            }
        }
    }

    /** Position of the oldest record in the log; 0 without a log. Thread-safe. */
    public long firstPosition() {
        MessageLog open = appender.log();
        return open == null ? 0 : open.firstPosition();
    }

    /** Bytes of the files that must stay while the record at this position does; 0 without a log. Thread-safe. */
    public long bytesFrom(long position) {
        MessageLog open = appender.log();
        return open == null ? 0 : open.bytesFrom(position);
    }

    /** Size of the log's files in bytes; 0 without a log. Thread-safe. */
    public long usedBytes() {
        MessageLog open = appender.log();
        return open == null ? 0 : open.usedBytes();
    }

    /** Syncs the log to its disk; for use on a thread of its own. The log must be open. */
    public LogSync sync() {
        return appender.log().sync();
    }

    /** Position of the log's last record; empty without a log. Thread-safe. */
    public Optional<Long> lastPosition() {
        return Optional.ofNullable(appender.log()).map(MessageLog::position);
    }

    /** Position of the last record; {@link Long#MAX_VALUE} without a log. Thread-safe. */
    public long position() {
        return appender.position();
    }
}
