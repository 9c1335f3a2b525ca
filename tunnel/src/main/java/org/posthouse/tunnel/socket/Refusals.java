package org.posthouse.tunnel.socket;

import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.posthouse.audit.Audit;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Wire;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts refused connections and logs them. Confined to the relay's context.
 *
 * <p>Anybody who reaches the port can cause a refusal, and a refused relay dials again forever. So the log lines of
 * each kind are limited. The second line follows at least 1 s after the first, and the interval doubles up to
 * {@link #LOG_INTERVAL_NANOS_MAX}. Each line contains the total so far; all refusals are counted. If a kind had no line
 * for twice that maximum, its interval is 1 s again.
 */
public final class Refusals {
    private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);
    private static final long LOG_INTERVAL_NANOS = 1_000_000_000L;

    /** About a minute, a power of two times the first interval. */
    private static final long LOG_INTERVAL_NANOS_MAX = 64 * LOG_INTERVAL_NANOS;

    /**
     * Netty's message about plain-text input, which includes its bytes: here the header of a HELLO and its magic
     * number.
     */
    private static final Pattern IDENTIFY = Pattern.compile(
            ": [0-9a-f]{8}" + Integer.toHexString(FrameType.IDENTIFY.id()) + "[0-9a-f]{22}" + Integer.toHexString(Wire.MAGIC));

    private final LongSupplier nanoTime;
    private final Map<LinkRefusal, Long> counts = new EnumMap<>(LinkRefusal.class);
    private final Map<LinkRefusal, Line> lines = new EnumMap<>(LinkRefusal.class);

    /** The time of the last line of a kind, and the interval until the next. */
    private record Line(long atNanos, long quietNanos) {
        Line next(long now) {
            boolean anew = now - atNanos >= 2 * LOG_INTERVAL_NANOS_MAX;
            return new Line(now, anew ? LOG_INTERVAL_NANOS : Math.min(2 * quietNanos, LOG_INTERVAL_NANOS_MAX));
        }
    }

    public Refusals(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** @param who the other end: its address, and its site if known */
    public void count(LinkRefusal kind, String who, String detail) {
        long count = counts.merge(kind, 1L, Long::sum);
        long now = nanoTime.getAsLong();
        Line last = lines.get(kind);
        if (last == null || now - last.atNanos >= last.quietNanos) {
            lines.put(kind, last == null ? new Line(now, LOG_INTERVAL_NANOS) : last.next(now));
            LOG.warn("refused {} ({} of this kind): {}: {}; {}", who, count, kind, shown(kind, detail), kind.advice());
            Audit.refused("link", who + " (" + count + " of this kind): " + kind + ": " + shown(kind, detail));
        }
    }

    /** Plain-text input is never logged, because it may contain a launcher's or a job's token. */
    static String shown(LinkRefusal kind, String detail) {
        if (kind != LinkRefusal.PLAIN_TCP) {
            return detail;
        }
        return IDENTIFY.matcher(detail).find() ? "looks like a launcher or a rank: they go to the address of a relay's --listen" : kind.meaning();
    }

    public Map<LinkRefusal, Long> counts() {
        return Map.copyOf(counts);
    }
}
