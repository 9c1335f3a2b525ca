package org.posthouse.relay;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.posthouse.core.Job;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.Pin;
import org.posthouse.wire.JobOpen;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The room that the relay's one log takes: what of it is not needed goes, and near its limit ranks are asked for
 * checkpoints and senders are held (docs/operations.md, the log's limits). Thread-safe: it uses the log under the monitor
 * that appends take turns under.
 */
final class LogRoom {
    /** How often the log is cut, and its room looked at. */
    static final long LOOK_MS = 250;

    private static final Logger LOG = LoggerFactory.getLogger(LogRoom.class);

    /** The monitor that whoever uses the log holds. */
    private final Object turn;

    private final MessageLog log;
    private final RestartPoints points;
    private final Pressure pressure;
    private final Relief relief;
    private final Executor background;

    /** For each open job, how many bytes its ranks may have under way. */
    private final Map<Long, Long> expected = new HashMap<>();

    /** How much the log takes when it is looked at again before the time. Guarded by {@link #turn}. */
    private long nextLookBytes;

    /** Who does what a log near its limit needs done. Called on the thread that looks. */
    interface Relief {
        /** The rank needs the oldest records. */
        void ask(long job, int rank);

        /** Senders are held from now on, or no more. */
        void changed(boolean holds, String text);
    }

    /**
     * @param pressure how much room it may take
     * @param background where files are deleted
     */
    LogRoom(Object turn, MessageLog log, RestartPoints points, Pressure pressure, Relief relief, Executor background) {
        this.turn = turn;
        this.log = log;
        this.points = points;
        this.pressure = pressure;
        this.relief = relief;
        this.background = background;
    }

    /** Whether nobody may be let send more than he has been. */
    boolean holds() {
        return pressure.state() == Pressure.State.HOLD;
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

    /** Something was appended. Under the monitor. */
    void appended() {
        long used = log.usedBytes();
        if (used >= nextLookBytes || used < nextLookBytes - pressure.limitBytes() / 16) {
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
            Optional<Pin> pin = cut();
            boolean changed = pressure.look(log.usedBytes(), hasAmpleRoom());
            if (pressure.state() != Pressure.State.EASY && pin.isPresent()) {
                relief.ask(pin.get().job(), pin.get().rank());
            }
            if (changed) {
                String text = text(pin);
                LOG.warn("log: {}, {}", holds() ? "senders are held" : "senders go on", text);
                relief.changed(holds(), text);
            }
        } catch (RuntimeException e) {
            LOG.error("the log could not be cut", e);
        }
    }

    private boolean hasAmpleRoom() {
        synchronized (turn) {
            boolean ample = log.hasAmpleRoom();
            log.handOver();
            return ample;
        }
    }

    private String text(Optional<Pin> pin) {
        return log.usedBytes() + " of " + pressure.limitBytes() + " bytes are used"
                + pin.map(by -> ", rank " + by.rank() + " of job " + Job.hexId(by.job()) + " needs the oldest").orElse("");
    }

    private Optional<Pin> cut() {
        boolean easy = pressure.state() == Pressure.State.EASY && log.usedBytes() < pressure.askBytes();
        Optional<Pin> pin;
        List<Path> gone;
        synchronized (turn) {
            pin = log.book().oldest((job, rank) -> easy || points.isDistrusted(job, rank) ? rank.pin() : rank.pinOfNewest());
            gone = log.cut(pin.map(Pin::position).orElse(log.position() + 1));
            log.handOver();
        }
        for (Path file : gone) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return pin;
    }
}
