package org.posthouse.tunnel;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what was refused and names it in the log. Confined to the relay's context.
 *
 * <p>Anybody who reaches the port can cause a refusal, so that each kind writes at most one line per second; the
 * line says how many there were by then. All are counted.
 */
final class Refusals {
    private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);
    private static final long LOG_INTERVAL_NANOS = 1_000_000_000L;

    private final LongSupplier nanoTime;
    private final Map<Refusal, Long> counts = new EnumMap<>(Refusal.class);
    private final Map<Refusal, Long> loggedAtNanos = new EnumMap<>(Refusal.class);

    Refusals(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** @param who the other end: its address, and its site if known */
    void count(Refusal kind, String who, String detail) {
        long count = counts.merge(kind, 1L, Long::sum);
        long now = nanoTime.getAsLong();
        Long logged = loggedAtNanos.get(kind);
        if (logged == null || now - logged >= LOG_INTERVAL_NANOS) {
            loggedAtNanos.put(kind, now);
            LOG.warn("refused {} ({} of this kind): {}: {}; {}", who, count, kind, detail, kind.advice());
        }
    }

    Map<Refusal, Long> counts() {
        return Map.copyOf(counts);
    }
}
