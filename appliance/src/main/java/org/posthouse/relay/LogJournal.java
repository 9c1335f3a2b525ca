package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.posthouse.core.ImageNote;
import org.posthouse.core.Job;
import org.posthouse.core.Journal;
import org.posthouse.core.JournalDamaged;
import org.posthouse.core.JournalFull;
import org.posthouse.core.Message;
import org.posthouse.core.Parcel;
import org.posthouse.core.Receive;
import org.posthouse.core.Standing;
import org.posthouse.logstore.Checkpoint;
import org.posthouse.logstore.ImageStore;
import org.posthouse.logstore.Drafts;
import org.posthouse.logstore.JobState;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.LogCursor;
import org.posthouse.logstore.LogException;
import org.posthouse.logstore.LogRecord;
import org.posthouse.logstore.LogStats;
import org.posthouse.logstore.LogSync;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.Milestone;
import org.posthouse.logstore.PayloadReader;
import org.posthouse.logstore.Pin;
import org.posthouse.logstore.Prologue;
import org.posthouse.logstore.RankLog;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shards' journal over the relay's one message log. The log has one writer at a time: shards take turns, under this
 * object's monitor. Appends are copies into mapped memory, made where the message is matched; so is reading back, at
 * most a frame of 64 KiB at a time, nearly always from the page cache. Opening and closing block and are not made there.
 */
final class LogJournal implements Journal {
    /** How often the log is cut, and its room looked at. */
    private static final long LOOK_MS = 250;

    private static final long CLOSE_MS_MAX = 10_000;

    /** Of a job that cannot go on after its relay's end. */
    private static final int STATUS_LOST = 1;

    private static final Logger LOG = LoggerFactory.getLogger(LogJournal.class);

    private final ByteBuffer[] payload = new ByteBuffer[1];
    private final FrameBuilder frames = new FrameBuilder();
    /** Readers of prologues, by job and rank: of ranks that were started from an image. */
    private final Map<Long, Map<Integer, PayloadReader>> prologues = new HashMap<>();

    /** For each open job, how many bytes its ranks may have under way. */
    private final Map<Long, Long> expected = new HashMap<>();

    /** By job and rank, the number of an image that turned out to be of no use. */
    private final Map<Long, Map<Integer, Long>> distrusted = new HashMap<>();

    /** Where what blocks and nobody waits for is done: images are stored, and what is not needed any more is deleted. */
    private final ScheduledThreadPoolExecutor background = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("posthouse-images").factory(), new ThreadPoolExecutor.DiscardPolicy());

    private PayloadReader reader;
    private ImageStore images;
    private Pressure pressure;
    private Relief relief;

    /** How much the log takes when it is looked at again before the time. */
    private long nextLookBytes;
    private volatile MessageLog log;

    /** Who does what a log near its limit needs done. Called on {@link #background}. */
    interface Relief {
        /** The rank needs the oldest records. */
        void ask(long job, int rank);

        /** Senders are held from now on, or no more. */
        void changed(boolean holds, String text);
    }

    /**
     * Opens the log, and so recovers and verifies it. Blocks.
     *
     * @param relay whose log it is
     * @param epochMin the relay's epoch, unless the log has seen that or a later one: then one more
     * @param limits how much room it may take
     * @param relieved does what there is to do when it comes near that
     * @return the jobs that were open when the log was last written, and go on
     */
    List<LoggedJob> open(Path folder, String relay, long epochMin, LogLimits limits, Relief relieved) throws IOException {
        Files.createDirectories(folder);
        long limitBytes = limits.bytes(folder);
        pressure = new Pressure(limitBytes, limits.highMarkPercent());
        relief = relieved;
        MessageLog opened = MessageLog.open(LogConfig.limited(folder, limitBytes), last -> Math.max(epochMin, last + 1), entry -> {});
        List<LoggedJob> jobs = jobs(opened, relay);
        images = new ImageStore(imageFolder(folder));
        images.retain(job -> opened.book().job(job) != null);
        opened.handOver();
        reader = opened.reader();
        log = opened;
        background.scheduleWithFixedDelay(this::relieve, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
        return jobs;
    }

    /**
     * Reads what goes on, and ends the jobs of which that cannot be read: what the log remembers of a job that is open, and
     * of its messages, would only grow.
     */
    private static List<LoggedJob> jobs(MessageLog opened, String relay) {
        Drafts drafts = opened.takeDrafts();
        List<LoggedJob> jobs = new ArrayList<>();
        for (JobState job : List.copyOf(opened.book().jobs())) {
            try {
                jobs.add(LoggedJob.of(relay, job, drafts));
            } catch (WireException e) {
                LOG.warn("job {} was open when this log was last written; it cannot go on: {}", Job.hexId(job.id()), e.getMessage());
                if (opened.appendJobClosed(new LogRecord.JobClosed(job.id(), STATUS_LOST)) == MessageLog.NO_ROOM) {
                    LOG.warn("job {} is not ended in the log, whose disk is nearly full: the next start tries again", Job.hexId(job.id()));
                }
            }
        }
        opened.handOver();
        return jobs;
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

    /** Blocks. */
    Void close() {
        MessageLog open = log;
        log = null;
        background.shutdown();
        if (open != null) {
            awaitBackground();
            reader.close();
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
        checkRoom(log.appendJobOpened(new LogRecord.JobOpened(job.job(), job.size(), job.durability()), job.encode()), job.job());
        return this;
    }

    /** The thread that stores images. */
    ExecutorService background() {
        return background;
    }

    /** Whether jobs can be logged. */
    boolean isOpen() {
        return log != null;
    }

    /** The job has ended: nothing of it is needed any more. */
    synchronized void jobClosed(long job, int status) {
        long position = log.appendJobClosed(new LogRecord.JobClosed(job, status));
        Map<Integer, PayloadReader> read = prologues.remove(job);
        if (read != null) {
            read.values().forEach(PayloadReader::close);
        }
        distrusted.remove(job);
        background.execute(() -> images.forget(job));
        log.handOver();
        if (position == MessageLog.NO_ROOM) {
            LOG.warn("job {} has ended, which could not be logged: the log's disk is nearly full", Job.hexId(job));
        }
    }

    /** Makes the log safe on its disk, for a thread of its own. Only of an open log. */
    LogSync sync() {
        return log.sync();
    }

    /** Thread-safe; empty without a log. */
    Optional<LogStats> stats() {
        return Optional.ofNullable(log).map(MessageLog::stats);
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
        long position = log.appendArrival(record, payload(head));
        long place = log.place();
        message.logged(checkRoom(position, job), place);
    }

    @Override
    public synchronized long chunk(long job, Message message, long offset, Parcel chunk) {
        long position = log.appendChunk(
                job, message.destination(), message.logPosition(), offset, payload(chunk));
        long place = log.place();
        checkRoom(position, job);
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
        checkRoom(
                log.appendDelivery(new LogRecord.Delivery(
                        job,
                        rank,
                        new LogRecord.Receipt(incarnation, delivery, message.receive().ordinal()),
                        message.context(),
                        message.source(),
                        message.sequence(),
                        message.logPosition(),
                        message.logPlace())),
                job);
    }

    @Override
    public synchronized void polls(long job, int rank, int incarnation, long failedPolls) {
        checkRoom(log.appendPolls(new LogRecord.Polls(job, rank, incarnation, failedPolls)), job);
    }

    @Override
    public synchronized void events(
            long job, int rank, int incarnation, long first, int count, boolean limited, Parcel items) {
        checkRoom(log.appendEvents(new LogRecord.Events(job, rank, incarnation, count, first, limited), payload(items)), job);
    }

    @Override
    public synchronized void incarnation(long job, int rank, int incarnation) {
        checkRoom(log.appendIncarnation(new LogRecord.Incarnation(job, rank, incarnation, 0, 0)), job);
    }

    @Override
    public synchronized void withdrawn(long job, Message offer) {
        checkRoom(
                log.appendWithdrawn(new LogRecord.Withdrawn(
                        job,
                        offer.destination(),
                        offer.context(),
                        offer.source(),
                        offer.sequence(),
                        offer.logPosition())),
                job);
    }

    @Override
    public synchronized void finalized(long job, int rank, int incarnation) {
        checkRoom(log.appendFinalized(new LogRecord.Finalized(job, rank, incarnation)), job);
    }

    @Override
    public long position() {
        return log.position();
    }

    @Override
    public synchronized void checkpoint(long job, int rank, Standing at, ImageNote image) {
        Checkpoint here = new Checkpoint(
                image == null ? 0 : image.number(),
                image == null ? 0 : image.bytes(),
                at.pin(),
                at.events(),
                at.deliveries(),
                at.polls(),
                image == null ? 0 : image.crc(),
                image == null);
        checkRoom(log.appendCheckpoint(new LogRecord.CheckpointTaken(job, rank, here)), job);
        Map<Integer, Long> unsound = distrusted.get(job);
        if (image != null && unsound != null) {
            unsound.remove(rank);
        }
        background.execute(this::relieve);
    }

    // ---- starting ranks again

    /** Where a rank's images are. */
    ImageStore images() {
        return images;
    }

    /** From where a rank can be started again. */
    synchronized Restart restart(long job, int rank) {
        RankLog history = log.book().rank(job, rank);
        List<Restart.Point> points = history == null ? List.of() : checkpoints(history);
        Optional<Milestone> beginning = history == null ? Optional.empty() : history.beginning();
        log.handOver();
        Optional<Checkpoint> prologue = history == null ? Optional.empty() : history.prologue();
        return new Restart(this, job, rank, points, prologue, beginning);
    }

    /** What a rank's process has lived through since so much is known of it. Blocks. */
    History behind(long job, int rank, long deliveries, long events) {
        Milestone from = milestone(job, rank, deliveries, events)
                .orElseThrow(() -> unreachable("the log does not reach back to what rank " + rank + " knows"));
        return new History(history(job, rank, from), from.polls(), null);
    }

    private synchronized Optional<Milestone> milestone(long job, int rank, long deliveries, long events) {
        RankLog history = log.book().rank(job, rank);
        log.handOver();
        return history == null ? Optional.empty() : history.milestone(deliveries, events);
    }

    private static List<Restart.Point> checkpoints(RankLog history) {
        return Stream.of(history.checkpoint(), history.olderCheckpoint())
                .flatMap(Optional::stream)
                .flatMap(checkpoint -> history.milestone(checkpoint.deliveries(), checkpoint.events())
                        .map(behind -> new Restart.Point(checkpoint, behind))
                        .stream())
                .toList();
    }

    /** The number of a rank's next image. */
    synchronized long nextImage(long job, int rank) {
        RankLog history = log.book().rank(job, rank);
        log.handOver();
        return 1 + (history == null ? 0 : history.checkpoint().map(Checkpoint::number).orElse(0L));
    }

    /** Sees to it that the log's beginning is not needed for the rank's prologue. Blocks. */
    void keepPrologue(long job, int rank) {
        Optional<Milestone> beginning = restart(job, rank).beginning();
        if (beginning.isPresent()) {
            try (LogCursor history = history(job, rank, beginning.get())) {
                Prologue.write(images, job, rank, history);
            }
        }
    }

    /** Reads a rank's prologue. Blocks. */
    LogCursor prologue(long job, int rank) {
        LogCursor prologue = Prologue.read(images, job, rank);
        synchronized (this) {
            prologues.computeIfAbsent(job, none -> new HashMap<>())
                    .computeIfAbsent(rank, none -> Prologue.payloads(images, job, rank));
        }
        return prologue;
    }

    /** Deletes what of a rank's images is not needed any more. Blocks. */
    void tidy(long job, int rank) {
        List<Checkpoint> wanted = restart(job, rank).images().stream().map(Restart.Point::checkpoint).toList();
        if (!wanted.isEmpty()) {
            images.keep(job, rank, wanted);
        }
    }

    /** A rank whose history nobody can read. */
    LogException unreachable(String why) {
        return log.missing(why);
    }

    /** An image turned out to be of no use: the log must not be cut for it. */
    synchronized void distrust(long job, int rank, Checkpoint image) {
        distrusted.computeIfAbsent(job, none -> new HashMap<>()).put(rank, image.number());
    }

    /** Reads what a rank has sent to the mailboxes of this relay, from the beginning of its job or of the log on; empty if that has ended. */
    synchronized Optional<LogCursor> sent(long job, int source) {
        JobState opened = log.book().job(job);
        Optional<LogCursor> sent = opened == null
                ? Optional.empty()
                : Optional.of(
                        opened.position() < log.firstPosition()
                                ? log.sentCursor(job, source)
                                : log.sentCursor(job, source, opened.position(), opened.place()));
        log.handOver();
        return sent;
    }

    /** Reads a rank's history from {@code beginning} on. */
    LogCursor history(long job, int rank, Milestone beginning) {
        return log.rankCursor(job, rank, beginning);
    }

    @Override
    public synchronized boolean hasAmpleRoom() {
        boolean ample = log.hasAmpleRoom();
        log.handOver();
        return ample;
    }

    @Override
    public synchronized Parcel head(long job, Message message, boolean payload) {
        int bytes = payload && message.form() == FrameType.SEND ? (int) message.bytes() : 0;
        ByteBuf frame = frames.message(job, message, bytes);
        if (bytes > 0) {
            readBack(job, message, 0, frame, Wire.MESSAGE_HEADER_BYTES);
        }
        return new BufferParcel(frame, 0, frame.readableBytes(), Wire.MESSAGE_HEADER_BYTES);
    }

    @Override
    public synchronized Parcel piece(long job, Message message, long offset) {
        int bytes = (int) Math.min(Wire.PAYLOAD_BYTES_MAX, message.bytes() - offset);
        ByteBuf frame = frames.chunk(job, message, offset, bytes);
        readBack(job, message, offset, frame, Wire.CHUNK_HEADER_BYTES);
        return new BufferParcel(frame, 0, frame.readableBytes(), Wire.CHUNK_HEADER_BYTES);
    }

    /** Fills the frame behind its header; releases it if that fails. */
    private void readBack(long job, Message message, long offset, ByteBuf frame, int headerBytes) {
        ByteBuffer payload = frame.internalNioBuffer(headerBytes, frame.readableBytes() - headerBytes);
        int rank = message.destination();
        PayloadReader from = Prologue.has(message.logPlace()) ? prologues.get(job).get(rank) : reader;
        try {
            if (message.form() == FrameType.SEND) {
                from.readArrival(job, rank, message.logPosition(), message.logPlace(), payload);
            } else {
                from.readChunk(job, rank, message.logPosition(), offset, message.chunkPlace(offset), payload);
            }
        } catch (LogException e) {
            frame.release();
            throw new JournalDamaged(message + " of job " + Job.hexId(job) + ": " + e.getMessage(), e);
        }
    }

    private ByteBuffer[] payload(Parcel parcel) {
        BufferParcel frame = (BufferParcel) parcel;
        payload[0] = frame.buffer().nioBuffer(frame.payloadIndex(), frame.payloadBytes());
        return payload;
    }

    // ---- room

    @Override
    public boolean holds() {
        return pressure.state() == Pressure.State.HOLD;
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

    /**
     * A job of so many ranks is to be logged, each of which may have so much under way.
     *
     * @return why it cannot be; empty if it can
     */
    Optional<String> admit(JobOpen job, long creditBytes) {
        long mayCome = job.size() * creditBytes;
        if (!pressure.fits(mayCome)) {
            return Optional.of("its " + job.size() + " ranks may have " + mayCome + " bytes under way, other jobs "
                    + pressure.underWayBytes() + ", and the log may take " + pressure.limitBytes()
                    + " bytes, of which that must be half at most: raise --log-limit");
        }
        expect(job, creditBytes);
        return Optional.empty();
    }

    /** A job goes on, or is admitted: its ranks may have so much under way. */
    synchronized void expect(JobOpen job, long creditBytes) {
        if (expected.putIfAbsent(job.job(), job.size() * creditBytes) == null) {
            pressure.mayCome(job.size() * creditBytes);
        }
    }

    /** That job has ended, or was not opened. */
    synchronized void dismiss(long job) {
        Long mayCome = expected.remove(job);
        if (mayCome != null) {
            pressure.mayCome(-mayCome);
        }
    }

    /** Deletes files that nobody needs, and sees to it that more can go if that is not enough. On {@link #background}. */
    private void relieve() {
        MessageLog open = log;
        if (open == null) {
            return;
        }
        try {
            Optional<Pin> pin = cut(open);
            boolean changed = pressure.look(open.usedBytes(), hasAmpleRoom());
            if (pressure.state() != Pressure.State.EASY && pin.isPresent()) {
                relief.ask(pin.get().job(), pin.get().rank());
            }
            if (changed) {
                String text = room(open, pin);
                LOG.warn("log: {}, {}", holds() ? "senders are held" : "senders go on", text);
                relief.changed(holds(), text);
            }
        } catch (RuntimeException e) {
            LOG.error("the log could not be cut", e);
        }
    }

    private String room(MessageLog open, Optional<Pin> pin) {
        return open.usedBytes() + " of " + pressure.limitBytes() + " bytes are used"
                + pin.map(by -> ", rank " + by.rank() + " of job " + Job.hexId(by.job()) + " needs the oldest").orElse("");
    }

    private Optional<Pin> cut(MessageLog open) {
        boolean easy = pressure.state() == Pressure.State.EASY && open.usedBytes() < pressure.askBytes();
        Optional<Pin> pin;
        List<Path> gone;
        synchronized (this) {
            pin = open.book().oldest((job, rank) -> easy || isDistrusted(job, rank) ? rank.pin() : rank.pinOfNewest());
            gone = open.cut(pin.map(Pin::position).orElse(open.position() + 1));
            open.handOver();
        }
        open.discard(gone, hasAmpleRoom() ? pressure.askBytes() : 0);
        return pin;
    }

    private boolean isDistrusted(long job, RankLog rank) {
        Long number = distrusted.getOrDefault(job, Map.of()).get(rank.rank());
        return number != null && rank.checkpoint().filter(newest -> newest.number() == number).isPresent();
    }

    private void lookSoon() {
        long used = log.usedBytes();
        if (used >= nextLookBytes || used < nextLookBytes - pressure.limitBytes() / 16) {
            nextLookBytes = used + pressure.limitBytes() / 64;
            background.execute(this::relieve);
        }
    }

    /** Ends an append: the next may be another thread's. */
    private long checkRoom(long position, long job) {
        lookSoon();
        log.handOver();
        if (position == MessageLog.NO_ROOM) {
            throw new JournalFull("job " + Job.hexId(job) + " cannot be logged: the log's disk is nearly full");
        }
        return position;
    }
}
