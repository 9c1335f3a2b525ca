package org.posthouse.relay;

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
import org.posthouse.wire.JobOpen;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The room that the relay's one log takes: what of it is not needed goes, and near its limit ranks are asked for
 * checkpoints and senders are held; without room on its disk nothing more is taken in (docs/log-space.md).
 * Thread-safe: it uses the log under the monitor that appends take turns under.
 */
final class LogRoom {
    /** How often the log is cut, and its room looked at. */
    static final long LOOK_MS = 250;

    /** How long nothing may come, while senders are held, until they stand still: their ranks wait for each other, then. */
    static final long STALL_MS = 3_000;

    /** How often it is said that the names of the log's files come to their end. */
    static final long WORN_MS = 3_600_000;

    private static final Logger LOG = LoggerFactory.getLogger(LogRoom.class);

    /** The monitor that whoever uses the log holds. */
    private final Object turn;

    private final MessageLog log;
    private final RestartPoints points;
    private final Pressure pressure;
    private final Relief relief;
    private final LogLimits limits;
    private final Executor background;
    private final LongSupplier clockMs;
    private final LogAsking asking = new LogAsking();

    /** Told of files that go, under {@link #turn}, before they are deleted. */
    private Consumer<List<Path>> onCut = gone -> {};

    private final LogReservations reservations;

    /** Messages that checkpoints wait for, by their positions; no more than there are checkpoints in the log. Guarded by {@link #turn}. */
    private final NavigableMap<Long, String> waiting = new TreeMap<>();

    /** How much the log takes when it is looked at again before the time. Guarded by {@link #turn}. */
    private long nextLookBytes;

    /** Whether the disk has no room for what is to be logged. Written under {@link #turn}, read by any thread. */
    private volatile boolean full;

    /** Whether the log is as large as it may be. Written under {@link #turn}, read by any thread. */
    private volatile boolean atLimit;

    /** Whether somebody may have found no room since all were told to try again. Guarded by {@link #turn}. */
    private boolean owesWord;

    /** Written by the thread that looks, read by any. */
    private volatile LogStatus status = LogStatus.NONE;

    // Confined to the thread that looks.
    private long lastPosition;
    private long movedMs;
    private long wornSayMs = Long.MIN_VALUE;

    /** Why the last look broke off, which is said once; empty if it did not. */
    private String lookFailure = "";

    /** Who does what a log near its limit needs done. Called on the thread that looks. */
    interface Relief {
        /** The rank needs the oldest records. */
        void ask(long job, int rank);

        /** Senders are held from now on, or no more. */
        void changed(boolean holds, String text);

        /** The job is to end: it has no room, and is not to wait. */
        void giveUp(long job, String text);

        /** What was not taken in for want of room is to be tried again. */
        void tryAgain();
    }

    /** What there is of the disk. */
    private record Disk(boolean full, boolean ample, long freeBytes, long neededBytes, long position) {}

    /**
     * @param pressure how much room it may take
     * @param limits how much that is by the room that there is, and what becomes of a job that needs more
     * @param background where files are deleted
     * @param clockMs some clock that never goes back
     */
    LogRoom(
            Object turn,
            MessageLog log,
            RestartPoints points,
            Pressure pressure,
            LogLimits limits,
            Relief relief,
            Executor background,
            LongSupplier clockMs) {
        this.reservations = new LogReservations(pressure);
        this.limits = limits;
        this.clockMs = clockMs;
        this.turn = turn;
        this.log = log;
        this.points = points;
        this.pressure = pressure;
        this.relief = relief;
        this.background = background;
    }

    /** Who has files of the log open, and is to let go of those that are cut: else they keep their room. Called once, before anything is cut. */
    void onCut(Consumer<List<Path>> reader) {
        onCut = reader;
    }

    /** Whether nobody may be let send more than he has been. */
    boolean holds() {
        return full || pressure.state() == Pressure.State.HOLD;
    }

    /** Whether nothing may be taken in that is to be logged: its disk is full, or it is as large as it may be. */
    boolean isFull() {
        return full || atLimit;
    }

    /** How it stands. */
    LogStatus status() {
        return status;
    }

    /**
     * A new job of so many ranks is to be logged, each of which may have so much under way: room for that is reserved.
     *
     * @param owner who opens it
     * @return why it cannot be; empty if it can
     */
    Optional<String> admit(JobOpen job, String owner, long rankBytes) {
        return refusal().or(() -> reservations.tryReserve(job.job(), owner, job.size() * rankBytes)
                .map(why -> "its " + job.size() + " ranks " + why + ": " + limits.remedy(pressure.limitBytes())
                        + ", or end jobs that nobody waits for (posthouse jobs)"));
    }

    private Optional<String> refusal() {
        return log.isWorn()
                ? Optional.of("its log, " + log.folder() + ", has used most of the names of its files: when its other jobs have ended start the relay again,"
                        + " and the log begins anew")
                : Optional.empty();
    }

    /** Why a new job of one rank, which may have so much under way, would not be admitted, whosever it is; empty if it would. Thread-safe. */
    Optional<String> refusesNew(long rankBytes) {
        return refusal().or(() -> pressure.fits(rankBytes) ? Optional.empty()
                : Optional.of(String.format(Locale.ROOT, "%d jobs have %,d of %,d bytes of the log reserved, and a rank may have %,d under way: "
                        + "%s, or end jobs that nobody waits for (posthouse jobs)", reservations.count(), pressure.underWayBytes(),
                        pressure.limitBytes() / 2, rankBytes, limits.remedy(pressure.limitBytes()))));
    }

    /** What is reserved for each open job. */
    LogReservations reservations() {
        return reservations;
    }

    /** That job has ended, or was not opened. */
    void dismiss(long job) {
        reservations.release(job);
    }

    /** A checkpoint needs the log from this message on, which no receive has got. Under the monitor. */
    void pinned(long position, String message) {
        assert Thread.holdsLock(turn);
        waiting.headMap(log.firstPosition()).clear();
        waiting.put(position, message);
    }

    /** The job has what is not taken in. */
    void waits(long job) {
        if (limits.onFull() == LogLimits.OnFull.ABORT) {
            background.execute(() -> {
                look();
                if (full) {
                    relief.giveUp(job, status.text());
                }
            });
        }
    }

    /** Something was appended. Under the monitor. */
    void appended() {
        assert Thread.holdsLock(turn);
        long used = log.writtenBytes();
        boolean filled = !full && !log.hasRoom();
        full |= filled;
        atLimit = pressure.isReached(used);
        owesWord |= isFull();
        if (filled || used >= nextLookBytes || used < nextLookBytes - pressure.limitBytes() / 16) {
            nextLookBytes = used + pressure.limitBytes() / 64;
            lookSoon();
        }
    }

    /** Has the log cut, and its room looked at. */
    void lookSoon() {
        background.execute(this::look);
    }

    /** Deletes files that nobody needs, and sees to it that more can go if that is not enough. On the background thread. */
    void look() {
        try {
            List<LogNeed> needs = cut();
            Disk disk = disk();
            long nowMs = clockMs.getAsLong();
            pressure.grow(limits.bytes(disk.freeBytes(), log.usedBytes()));
            pressure.look(log.writtenBytes(), disk.ample());
            if ((disk.full() || pressure.state() != Pressure.State.EASY) && !needs.isEmpty()) {
                asking.next(needs, nowMs).forEach(rank -> relief.ask(rank.job(), rank.rank()));
            }
            LogStatus.State state = disk.full() ? LogStatus.State.FULL : held(disk, needs, nowMs);
            long pinnedBytes = needs.isEmpty() ? 0 : log.usedBytes();
            tell(new LogStatus(state, text(state, disk, needs), pressure.limitBytes(), pinnedBytes, pinnedByJob(needs)), needs);
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
            Breakdown.report(e); // Whoever has it done again and again would not tell, and not do it again.
            throw e;
        }
    }

    /** Whether there is room again for somebody who may have found none, be it during this look. */
    private boolean endsWait() {
        synchronized (turn) {
            atLimit = pressure.isReached(log.writtenBytes());
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
                log.handOver(); // Whatever the disk says: who appends next is another.
            }
        }
    }

    /** Whether senders are held, by the log's limit or for the disk's sake; and if nothing moves, whether more can be lent. */
    private LogStatus.State held(Disk disk, List<LogNeed> needs, long nowMs) {
        boolean moved = disk.position() != lastPosition || pressure.state() != Pressure.State.HOLD;
        lastPosition = disk.position();
        movedMs = moved ? nowMs : movedMs;
        if (pressure.state() != Pressure.State.HOLD) {
            return LogStatus.State.OPEN;
        }
        if (nowMs - movedMs < STALL_MS) {
            return status.state() == LogStatus.State.STALLED && !moved ? LogStatus.State.STALLED : LogStatus.State.HELD;
        }
        return disk.ample() && !needs.isEmpty() && needs.getFirst().saves() && lend() ? LogStatus.State.OPEN : LogStatus.State.STALLED;
    }

    /** Lends as much as lets senders go on. */
    private boolean lend() {
        long before = pressure.lentBytes();
        while (pressure.state() == Pressure.State.HOLD && pressure.tryLend()) {
            pressure.look(log.writtenBytes(), true);
        }
        if (pressure.lentBytes() == before) {
            return false; // All that there is, as was said then.
        }
        LOG.warn("log: nothing moves; senders are held when it takes {} bytes, {} more than usual, until it has been cut", pressure.holdBytes(),
                pressure.lentBytes());
        return pressure.state() != Pressure.State.HOLD;
    }

    private Map<Long, Long> pinnedByJob(List<LogNeed> needs) {
        Map<Long, Long> pinned = new HashMap<>();
        needs.forEach(need -> pinned.computeIfAbsent(need.job(), job -> log.bytesFrom(need.position())));
        return Map.copyOf(pinned);
    }

    private void tell(LogStatus next, List<LogNeed> needs) {
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

    private String text(LogStatus.State state, Disk disk, List<LogNeed> needs) {
        String used = String.format(Locale.ROOT, "%,d of %,d bytes of log are used", log.writtenBytes(), pressure.limitBytes())
                + (needs.isEmpty() ? "" : ", " + needs.getFirst()) + (log.isWorn() ? "; " + worn() : "");
        String free = disk.freeBytes() + " bytes are free on its disk (" + log.folder() + "), ";
        return switch (state) {
            case OPEN -> used;
            case HELD -> disk.ample() ? used : free + 2 * disk.neededBytes() + " should be; " + used;
            case STALLED -> disk.ample()
                    ? used + ", nothing moves: " + limits.remedy(pressure.limitBytes()) + ", or have the program "
                            + (needs.isEmpty() ? LogNeed.SAVE : needs.getFirst().remedy())
                    : free + 2 * disk.neededBytes() + " must be for this job to go on: free space there; " + used;
            case FULL -> "the disk is full: " + free + (disk.freeBytes() < disk.neededBytes()
                    ? disk.neededBytes() + " must be: free " + (disk.neededBytes() - disk.freeBytes()) + " bytes there"
                    : "but it gives no more: raise the quota, or how many files this process may have open (ulimit -n)") + "; " + used;
        };
    }

    private List<LogNeed> cut() {
        boolean easy = !full && pressure.state() == Pressure.State.EASY && log.writtenBytes() < pressure.askBytes();
        List<LogNeed> needs;
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
        log.discard(cuts && points.mayDelete() ? cut(upTo, easy) : List.of(), ample ? pressure.askBytes() : 0);
        return needs;
    }

    private List<LogNeed> needs(boolean easy) {
        return LogNeed.of(log.book(), rank -> easy ? rank.pin() : rank.pinOfNewest(), waiting);
    }

    private long upTo(List<LogNeed> needs) {
        return needs.isEmpty() ? log.position() + 1 : needs.getFirst().position();
    }

    /** A rank may have been started meanwhile from its older image, as the newest cannot be read: it needs more than before then. */
    private List<Path> cut(long upTo, boolean easy) {
        synchronized (turn) {
            List<Path> gone = log.cut(Math.min(upTo, upTo(needs(easy))));
            log.handOver();
            onCut.accept(gone);
            return gone;
        }
    }
}
