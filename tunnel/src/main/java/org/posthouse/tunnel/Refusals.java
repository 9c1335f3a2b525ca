package org.posthouse.tunnel;

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
 * Counts what was refused and names it in the log. Confined to the relay's context.
 *
 * <p>Anybody who reaches the port can cause a refusal, and one who is refused dials again for ever: of each kind the second line
 * comes at the earliest 1 s behind the first, and each further one after twice the time, up to {@link #LOG_INTERVAL_NANOS_MAX}. The line says
 * how many there were by then; all are counted. When a kind was quiet for twice that, it begins anew.
 */
final class Refusals {
    private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);
    private static final long LOG_INTERVAL_NANOS = 1_000_000_000L;

    /** About a minute: a power of two of the first one. */
    private static final long LOG_INTERVAL_NANOS_MAX = 64 * LOG_INTERVAL_NANOS;

    /** What Netty says of what came in plain, whose bytes it tells: here the header of a HELLO and its magic number. */
    private static final Pattern IDENTIFY = Pattern.compile(
            ": [0-9a-f]{8}" + Integer.toHexString(FrameType.IDENTIFY.id()) + "[0-9a-f]{22}" + Integer.toHexString(Wire.MAGIC));

    private final LongSupplier nanoTime;
    private final Map<LinkRefusal, Long> counts = new EnumMap<>(LinkRefusal.class);
    private final Map<LinkRefusal, Line> lines = new EnumMap<>(LinkRefusal.class);

    /** When the last line of a kind was written, and how long after that no other is. */
    private record Line(long atNanos, long quietNanos) {
        Line next(long now) {
            boolean anew = now - atNanos >= 2 * LOG_INTERVAL_NANOS_MAX;
            return new Line(now, anew ? LOG_INTERVAL_NANOS : Math.min(2 * quietNanos, LOG_INTERVAL_NANOS_MAX));
        }
    }

    Refusals(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** @param who the other end: its address, and its site if known */
    void count(LinkRefusal kind, String who, String detail) {
        long count = counts.merge(kind, 1L, Long::sum);
        long now = nanoTime.getAsLong();
        Line last = lines.get(kind);
        if (last == null || now - last.atNanos >= last.quietNanos) {
            lines.put(kind, last == null ? new Line(now, LOG_INTERVAL_NANOS) : last.next(now));
            LOG.warn("refused {} ({} of this kind): {}: {}; {}", who, count, kind, shown(kind, detail), kind.advice());
            Audit.refused("link", who + " (" + count + " of this kind): " + kind + ": " + shown(kind, detail));
        }
    }

    /** Never what came in plain: it may hold a launcher's or a job's token. */
    static String shown(LinkRefusal kind, String detail) {
        if (kind != LinkRefusal.PLAIN_TCP) {
            return detail;
        }
        return IDENTIFY.matcher(detail).find() ? "looks like a launcher or a rank: they go to the address of a relay's --listen" : kind.meaning();
    }

    Map<LinkRefusal, Long> counts() {
        return Map.copyOf(counts);
    }
}
