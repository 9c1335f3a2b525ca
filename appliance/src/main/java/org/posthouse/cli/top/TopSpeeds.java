package org.posthouse.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * How fast counters grow from one answer of {@code /api/v1/grid} to the next. Counters of a relay are compared by the time at which it took them, as
 * another relay's answer may be older than the page. Confined to the command's thread.
 */
final class TopSpeeds {
    private static final double MS_PER_S = 1_000.0;

    /** A counter's value, when it was taken, and how fast it grew up to then. */
    private record Reading(long at, long value, OptionalDouble perSecond) {}

    private Map<String, Reading> before = Map.of();
    private Map<String, Reading> now = new HashMap<>();

    /** What is asked for from here on is of a new answer. A counter that the last answer did not have is forgotten. */
    void turn() {
        before = now;
        now = new HashMap<>();
    }

    /**
     * The growth of a counter per second; empty at its first reading, and when it fell, as its relay has restarted.
     *
     * @param name says whose counter it is
     * @param at when its relay took it, in milliseconds
     */
    OptionalDouble of(String name, long at, JsonNode counter) {
        if (!counter.isNumber()) {
            return OptionalDouble.empty();
        }
        Reading last = before.get(name);
        Reading reading = new Reading(at, counter.asLong(), growth(last, at, counter.asLong()));
        now.put(name, reading);
        return reading.perSecond;
    }

    private static OptionalDouble growth(Reading last, long at, long value) {
        if (last == null || value < last.value || at < last.at) {
            return OptionalDouble.empty();
        }
        return at == last.at ? last.perSecond : OptionalDouble.of((value - last.value) * MS_PER_S / (at - last.at));
    }
}
