package org.posthouse.relay.log;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.posthouse.logstore.MessageLog;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.threads.FatalErrorExit;
import org.posthouse.wire.JobOpen;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the room that the relay's one log takes (docs/log-space.md). It cuts records that nobody needs. Near the limit
 * it asks ranks for checkpoints and holds senders. If the disk is full, logged messages wait. Thread-safe: it uses the
 * log under the monitor that appenders share.
 */
public final class LogSpace {
    /** Milliseconds between looks at the log's room; each look also cuts the log. */
    static final long LOOK_MS = 250;

    /**
     * Milliseconds without an append, while senders are held, until the log counts as stalled: its ranks then wait for
     * each other.
     */
    static final long STALL_MS = 3_000;

    /** Milliseconds between warnings that the names of the log's files run out. */
    static final long WORN_MS = 3_600_000;

    private static final Logger LOG = LoggerFactory.getLogger(LogSpace.class);

    /** The monitor of all users of the log. */
    private final Object turn;

    private final MessageLog log;
    private final RestartPoints points;
    private final LogWatermarks logWatermarks;
    private final Relief relief;
    private final LogLimits limits;
    private final Executor background;
    private final LongSupplier clockMs;
    private final CheckpointRequester asking = new CheckpointRequester();

    /** Receives the files that are cut, under {@link #turn}, before they are deleted. */
    private Consumer<List<Path>> onCut = gone -> {};

    private final LogReservations reservations;

    /**
     * Undelivered messages that checkpoints pin, by position; at most as many as there are checkpoints in the log.
     * Guarded by {@link #turn}.
     */
    private final NavigableMap<Long, String> waiting = new TreeMap<>();

    /**
     * Size of the log, in bytes, at which it is looked at before {@link #LOOK_MS} is over. Guarded by {@link #turn}.
     */
    private long nextLookBytes;

    /** Whether the disk has no room for more records. Written under {@link #turn}, read by any thread. */
    private volatile boolean full;

    /** Whether the log has reached its limit. Written under {@link #turn}, read by any thread. */
    private volatile boolean atLimit;

    /**
     * Whether somebody may have found no room since {@link Relief#tryAgain} was last called. Guarded by {@link #turn}.
     */
    private boolean owesWord;

    /** Written by the thread that looks, read by any. */
    private volatile LogStatus status = LogStatus.NONE;

    // Confined to the thread that looks.
    private long lastPosition;
    private long movedMs;
    private long wornSayMs = Long.MIN_VALUE;

    /** Why the last look failed; logged once for each cause. Empty if it succeeded. */
    private String lookFailure = "";

    /** Acts for a log that is near its limit. Called on the thread that looks. */
    public interface Relief {
        /** Asks the rank that needs the oldest records for a checkpoint. */
        void ask(long job, int rank);

        /** Holds senders from now on, or releases them. */
        void changed(boolean holds, String text);

        /** Ends a job that has no room and is configured not to wait. */
        void giveUp(long job, String text);

        /** Retries the frames that waited for room. */
        void tryAgain();
    }

    /** The state of the log's disk. */
    private record Disk(boolean full, boolean ample, long freeBytes, long neededBytes, long position) {}

    /**
     * @param pressure compares the log's size with its limit
     * @param limits computes the limit from the room on the disk, and says what happens to a job that needs more
     * @param background runs the looks and deletes files
     * @param clockMs milliseconds of a clock that never goes back
     */
    LogSpace(
            Object turn,
            MessageLog log,
            RestartPoints points,
            LogWatermarks logWatermarks,
            LogLimits limits,
            Relief relief,
            Executor background,
            LongSupplier clockMs) {
        this.reservations = new LogReservations(logWatermarks);
        this.limits = limits;
        this.clockMs = clockMs;
        this.turn = turn;
        this.log = log;
        this.points = points;
        this.logWatermarks = logWatermarks;
        this.relief = relief;
        this.background = background;
    }

    /**
     * Registers a reader that closes files that are cut; open files would keep their room. Called once, before anything
     * is cut.
     */
    void onCut(Consumer<List<Path>> reader) {
        onCut = reader;
    }

    /** Whether ranks get no further credit. */
    boolean holds() {
        return full || logWatermarks.state() == LogWatermarks.State.HOLD;
    }

    /** Whether frames that would be logged must wait: the disk is full, or the log has reached its limit. */
    boolean isFull() {
        return full || atLimit;
    }

    /** The status at the last look. */
    LogStatus status() {
        return status;
    }

    /**
     * Reserves room for a new logged job, {@code rankBytes} for each of its ranks.
     *
     * @param owner user who opens the job
     * @return why the job is refused; empty if it is admitted
     */
    public Optional<String> admit(JobOpen job, String owner, long rankBytes) {
        return refusal().or(() -> reservations.tryReserve(job.job(), owner, job.size() * rankBytes)
                .map(why -> "its " + job.size() + " ranks " + why + ": " + limits.remedy(logWatermarks.limitBytes())
                        + ", or end jobs that nobody waits for (posthouse jobs)"));
    }

    private Optional<String> refusal() {
        return log.isWorn()
                ? Optional.of("its log, " + log.folder() + ", has used most of the names of its files: when its other jobs have ended start the relay again,"
                        + " and the log begins anew")
                : Optional.empty();
    }

    /**
     * Why a new job of one rank with {@code rankBytes} under way would be refused to any user; empty if it would be
     * admitted. Thread-safe.
     */
    Optional<String> refusesNew(long rankBytes) {
        return refusal().or(() -> logWatermarks.fits(rankBytes) ? Optional.empty()
                : Optional.of(String.format(Locale.ROOT, "%d jobs have %,d of %,d bytes of the log reserved, and a rank may have %,d under way: "
                        + "%s, or end jobs that nobody waits for (posthouse jobs)", reservations.count(), logWatermarks.underWayBytes(),
                        logWatermarks.limitBytes() / 2, rankBytes, limits.remedy(logWatermarks.limitBytes()))));
    }

    /** The reservations of the open jobs. */
    public LogReservations reservations() {
        return reservations;
    }

    /** Releases the room of a job that has ended or was not opened. */
    void dismiss(long job) {
        reservations.release(job);
    }

    /** Registers an undelivered message from which on a checkpoint needs the log. Called under the monitor. */
    void pinned(long position, String message) {
        assert Thread.holdsLock(turn);
        waiting.headMap(log.firstPosition()).clear();
        waiting.put(position, message);
    }

    /**
     * Called when a frame of the job waits for room. Ends the job if it is configured not to wait and the disk is full.
     */
    public void waits(long job) {
        if (limits.onFull() == LogLimits.OnFull.ABORT) {
            background.execute(() -> {
                look();
                if (full) {
                    relief.giveUp(job, status.text());
                }
            });
        }
    }

    /** Called after each append, under the monitor. */
    void appended() {
        assert Thread.holdsLock(turn);
        long used = log.writtenBytes();
        boolean filled = !full && !log.hasRoom();
        full |= filled;
        atLimit = logWatermarks.isReached(used);
        owesWord |= isFull();
        if (filled || used >= nextLookBytes || used < nextLookBytes - logWatermarks.limitBytes() / 16) {
            nextLookBytes = used + logWatermarks.limitBytes() / 64;
            lookSoon();
        }
    }

    /** Schedules a look, which also cuts the log. */
    void lookSoon() {
        background.execute(this::look);
    }

    /**
     * Cuts files that nobody needs. If that is not enough, asks ranks for checkpoints or holds senders. Runs on the
     * background thread.
     */
    void look() {
        try {
            List<RetentionPin> needs = cut();
            Disk disk = disk();
            long nowMs = clockMs.getAsLong();
            logWatermarks.grow(limits.bytes(disk.freeBytes(), log.usedBytes()));
            logWatermarks.look(log.writtenBytes(), disk.ample());
            if ((disk.full() || logWatermarks.state() != LogWatermarks.State.EASY) && !needs.isEmpty()) {
                asking.next(needs, nowMs).forEach(rank -> relief.ask(rank.job(), rank.rank()));
            }
            LogStatus.State state = disk.full() ? LogStatus.State.FULL : held(disk, needs, nowMs);
            long pinnedBytes = needs.isEmpty() ? 0 : log.usedBytes();
            tell(new LogStatus(state, text(state, disk, needs), logWatermarks.limitBytes(), pinnedBytes, pinnedByJob(needs)), needs);
            sayWorn(nowMs);
            if (endsWait()) {
                relief.tryAgain();
            }
            lookFailure = "";
        } catch (RuntimeException e) {
            if (!lookFailure.equals(e.toString())) {
                lookFailure = e.toString();
                LOG.error("the log could not be cut", e);
            }
        } catch (VirtualMachineError e) {
            FatalErrorExit.report(e); // The executor that repeats this would stop without a report.
            throw e;
        }
    }

    /** Whether there is room again for somebody who may have found none, also during this look. */
    private boolean endsWait() {
        synchronized (turn) {
            atLimit = logWatermarks.isReached(log.writtenBytes());
            boolean ends = owesWord && !isFull();
            owesWord = isFull();
            return ends;
        }
    }

    private Disk disk() {
        synchronized (turn) {
            try {
                full = !log.hasRoomNow();
                owesWord |= full;
                return new Disk(full, log.hasAmpleRoom(), log.freeBytes(), log.minFreeBytes(), log.position());
            } finally {
                log.handOver(); // Also after a failure: another thread makes the next append.
            }
        }
    }

    /**
     * Whether senders are held, because of the log's limit or for want of disk. If nothing moves, tries to raise the
     * limit for a while.
     */
    private LogStatus.State held(Disk disk, List<RetentionPin> needs, long nowMs) {
        boolean moved = disk.position() != lastPosition || logWatermarks.state() != LogWatermarks.State.HOLD;
        lastPosition = disk.position();
        movedMs = moved ? nowMs : movedMs;
        if (logWatermarks.state() != LogWatermarks.State.HOLD) {
            return LogStatus.State.OPEN;
        }
        if (nowMs - movedMs < STALL_MS) {
            return status.state() == LogStatus.State.STALLED && !moved ? LogStatus.State.STALLED : LogStatus.State.HELD;
        }
        return disk.ample() && !needs.isEmpty() && needs.getFirst().saves() && lend() ? LogStatus.State.OPEN : LogStatus.State.STALLED;
    }

    /** Raises the limit until senders may continue, as far as that is possible. */
    private boolean lend() {
        long before = logWatermarks.lentBytes();
        while (logWatermarks.state() == LogWatermarks.State.HOLD && logWatermarks.tryLend()) {
            logWatermarks.look(log.writtenBytes(), true);
        }
        if (logWatermarks.lentBytes() == before) {
            return false; // Nothing more can be lent; that was logged before.
        }
        LOG.warn("log: nothing moves; senders are held when it takes {} bytes, {} more than usual, until it has been cut", logWatermarks.holdBytes(),
                logWatermarks.lentBytes());
        return logWatermarks.state() != LogWatermarks.State.HOLD;
    }

    private Map<Long, Long> pinnedByJob(List<RetentionPin> needs) {
        Map<Long, Long> pinned = new HashMap<>();
        needs.forEach(need -> pinned.computeIfAbsent(need.job(), job -> log.bytesFrom(need.position())));
        return Map.copyOf(pinned);
    }

    private void tell(LogStatus next, List<RetentionPin> needs) {
        LogStatus.State before = status.state();
        status = next;
        if (next.state() != before) {
            boolean holds = next.state() != LogStatus.State.OPEN;
            LOG.warn("log {}: {}", next.state().word(), next.text());
            relief.changed(holds, next.text());
            if (next.state() == LogStatus.State.STALLED && limits.onFull() == LogLimits.OnFull.ABORT && !needs.isEmpty()) {
                relief.giveUp(needs.getFirst().job(), next.text());
            }
        }
    }

    private void sayWorn(long nowMs) {
        if (log.isWorn() && nowMs >= wornSayMs) {
            wornSayMs = nowMs + WORN_MS;
            LOG.warn("log {}: {}", log.folder(), worn());
        }
    }

    private String worn() {
        return String.format(Locale.ROOT, "there are names for %,d bytes more of its files, and no new logged jobs: "
                + "have its jobs end before that, and start the relay again", log.bytesToLastFile());
    }

    private String text(LogStatus.State state, Disk disk, List<RetentionPin> needs) {
        String used = String.format(Locale.ROOT, "%,d of %,d bytes of log are used", log.writtenBytes(), logWatermarks.limitBytes())
                + (needs.isEmpty() ? "" : ", " + needs.getFirst()) + (log.isWorn() ? "; " + worn() : "");
        String free = disk.freeBytes() + " bytes are free on its disk (" + log.folder() + "), ";
        return switch (state) {
            case OPEN -> used;
            case HELD -> disk.ample() ? used : free + 2 * disk.neededBytes() + " should be; " + used;
            case STALLED -> disk.ample()
                    ? used + ", nothing moves: " + limits.remedy(logWatermarks.limitBytes()) + ", or have the program "
                            + (needs.isEmpty() ? RetentionPin.SAVE : needs.getFirst().remedy())
                    : free + 2 * disk.neededBytes() + " must be for this job to go on: free space there; " + used;
            case FULL -> "the disk is full: " + free + (disk.freeBytes() < disk.neededBytes()
                    ? disk.neededBytes() + " must be: free " + (disk.neededBytes() - disk.freeBytes()) + " bytes there"
                    : "but it gives no more: raise the quota, or how many files this process may have open (ulimit -n)") + "; " + used;
        };
    }

    private List<RetentionPin> cut() {
        boolean easy = !full && logWatermarks.state() == LogWatermarks.State.EASY && log.writtenBytes() < logWatermarks.askBytes();
        List<RetentionPin> needs;
        long upTo;
        boolean cuts;
        boolean ample;
        synchronized (turn) {
            try {
                needs = needs(easy);
                upTo = upTo(needs);
                cuts = log.canCut(upTo);
                ample = log.hasAmpleRoom();
            } finally {
                log.handOver();
            }
        }
        log.discard(cuts && points.mayDelete() ? cut(upTo, easy) : List.of(), ample ? logWatermarks.askBytes() : 0);
        return needs;
    }

    private List<RetentionPin> needs(boolean easy) {
        return RetentionPin.of(log.book(), rank -> easy ? rank.pin() : rank.pinOfNewest(), points::withFollowers, waiting);
    }

    private long upTo(List<RetentionPin> needs) {
        return needs.isEmpty() ? log.position() + 1 : needs.getFirst().position();
    }

    /**
     * Cuts the log, after a second look at the needs. Meanwhile a rank may have been started from its older image,
     * because the newest cannot be read; it then needs more records.
     */
    private List<Path> cut(long upTo, boolean easy) {
        synchronized (turn) {
            List<Path> gone = log.cut(Math.min(upTo, upTo(needs(easy))));
            log.handOver();
            onCut.accept(gone);
            return gone;
        }
    }
}
