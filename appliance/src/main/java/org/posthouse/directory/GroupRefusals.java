package org.posthouse.directory;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts and logs refusals at the group's port. Thread-safe.
 *
 * <p>Any user of the host can cause refusals repeatedly. Each kind is therefore logged at a bounded rate: the second
 * line at the earliest 1 s after the first, and each further one after twice that time, up to a minute. All refusals
 * are counted.
 */
final class GroupRefusals {
    private static final Logger LOG = LoggerFactory.getLogger(GroupRefusals.class);
    private static final long QUIET_NANOS_MIN = 1_000_000_000L;
    private static final long QUIET_NANOS_MAX = 64 * QUIET_NANOS_MIN;

    private final String relay;
    private final LongSupplier nanoTime;
    private final Map<GroupRefusal, Long> counts = new EnumMap<>(GroupRefusal.class);
    private final Map<GroupRefusal, Line> lines = new EnumMap<>(GroupRefusal.class);

    /** When the last line of a kind was written, and for how long no other follows. */
    private record Line(long atNanos, long quietNanos) {}

    GroupRefusals(String relay, LongSupplier nanoTime) {
        this.relay = relay;
        this.nanoTime = nanoTime;
    }

    void count(GroupRefusal kind, String who, String detail) {
        long count;
        synchronized (this) {
            count = counts.merge(kind, 1L, Long::sum);
            long now = nanoTime.getAsLong();
            Line last = lines.get(kind);
            if (last != null && now - last.atNanos < last.quietNanos) {
                return;
            }
            boolean anew = last == null || now - last.atNanos >= 2 * QUIET_NANOS_MAX;
            lines.put(kind, new Line(now, anew ? QUIET_NANOS_MIN : Math.min(2 * last.quietNanos, QUIET_NANOS_MAX)));
        }
        LOG.warn("relay {}: group: refused {} ({} of this kind): {}: {}; {}", relay, who, count, kind, detail, kind.advice());
    }

    synchronized Map<GroupRefusal, Long> counts() {
        return Map.copyOf(counts);
    }
}
