package org.posthouse.relay;

import java.util.EnumMap;
import java.util.Map;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.posthouse.wire.CloseReason;

/**
 * Counts connections that were closed for a fault, and logs them at a bounded rate, so that a client cannot fill the
 * disk. In each interval the first few of a reason get a line each; all others share one line at its end. Thread-safe;
 * it uses no clock or logger of its own.
 */
public final class RefusalLog {
    static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * Lines of one reason in one interval. All reasons together have less than a hundred lines in 10 seconds, and
     * usually 4.
     */
    static final int LINES_MAX = 3;

    private final LongSupplier nanoTime;
    private final Consumer<String> log;
    private final Map<CloseReason, Long> counts = new EnumMap<>(CloseReason.class);
    private final Map<CloseReason, Integer> told = new EnumMap<>(CloseReason.class);
    private final Map<CloseReason, Integer> untold = new EnumMap<>(CloseReason.class);
    private long begun;
    private boolean running;

    /** @param log receives one line at a time, on the caller's thread */
    RefusalLog(LongSupplier nanoTime, Consumer<String> log) {
        this.nanoTime = nanoTime;
        this.log = log;
    }

    /** @param line description of this refusal */
    public synchronized void refused(CloseReason closeReason, String line) {
        counts.merge(closeReason, 1L, Long::sum);
        endIfOver();
        if (!running) {
            running = true;
            begun = nanoTime.getAsLong();
        }
        if (told.getOrDefault(closeReason, 0) < LINES_MAX) {
            told.merge(closeReason, 1, Integer::sum);
            log.accept(line);
        } else {
            untold.merge(closeReason, 1, Integer::sum);
        }
    }

    /** Ends an interval that is over. Called periodically. */
    synchronized void tick() {
        endIfOver();
    }

    /** Ends the current interval; nothing more will come. */
    synchronized void close() {
        end();
    }

    /** Number of refusals since the start, by reason; reasons without any are missing. */
    synchronized Map<CloseReason, Long> counts() {
        return new EnumMap<>(counts);
    }

    private void endIfOver() {
        if (running && nanoTime.getAsLong() - begun >= INTERVAL_NANOS) {
            end();
        }
    }

    private void end() {
        if (!untold.isEmpty()) {
            log.accept(summary());
        }
        told.clear();
        untold.clear();
        running = false;
    }

    private String summary() {
        StringJoiner kinds = new StringJoiner(", ");
        untold.forEach((closeReason, count) -> kinds.add(count + " " + closeReason));
        long seconds = TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong() - begun);
        int all = untold.values().stream().mapToInt(Integer::intValue).sum();
        return "closed " + all + " more in " + seconds + " s: " + kinds;
    }
}
