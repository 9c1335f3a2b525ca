package org.posthouse.ops;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.posthouse.status.JobStatus;
import org.posthouse.status.LinkStatus;
import org.posthouse.status.RelayStatus;
import org.posthouse.status.Traffic;

/**
 * How fast messages and bytes have moved in the last quarter of an hour, so that a page does not begin with empty curves.
 * The names of the series are those of the page's model ({@code model.js}). Confined to the console's event loop.
 *
 * <p>Bound: {@value #SERIES_MAX} series of {@value #STEPS} numbers of 4 bytes, 360 KiB.
 */
final class SpeedHistory {
    static final long STEP_MS = 5_000;
    static final int STEPS = 180;
    static final int SERIES_MAX = 500;

    private final Map<String, Series> series = new TreeMap<>();
    private long lastMs;

    /** Index in the rings of the step that is written next. */
    private int next;

    private static final class Series {
        private final float[] ring = new float[STEPS];

        /** By the relay that counts: one that is seen anew adds nothing that it had counted before. */
        private Map<String, Long> totals = Map.of();
        private boolean isFresh;

        Series() {
            Arrays.fill(ring, Float.NaN);
        }
    }

    /** Called at each beat; takes a sample when a step is over. */
    void tick(Overview overview, long nowMs) {
        if (lastMs != 0 && nowMs - lastMs < STEP_MS) {
            return;
        }
        Map<String, Map<String, Long>> totals = totals(overview);
        double seconds = (nowMs - lastMs) / 1e3;
        series.values().forEach(each -> {
            each.ring[next] = Float.NaN;
            each.isFresh = false;
        });
        totals.forEach((name, parts) -> {
            Series known = series.get(name);
            if (known != null) {
                known.ring[next] = (float) (increase(known.totals, parts) / seconds);
            } else if (series.size() < SERIES_MAX) {
                known = new Series();
                series.put(name, known);
            }
            if (known != null) {
                known.totals = parts;
                known.isFresh = true;
            }
        });
        series.values().removeIf(each -> !each.isFresh && isEmpty(each));
        next = (next + 1) % STEPS;
        lastMs = nowMs;
    }

    private static long increase(Map<String, Long> before, Map<String, Long> now) {
        return now.entrySet().stream().mapToLong(part -> Math.max(0, part.getValue() - before.getOrDefault(part.getKey(), part.getValue()))).sum();
    }

    private static boolean isEmpty(Series each) {
        for (float value : each.ring) {
            if (!Float.isNaN(value)) {
                return false;
            }
        }
        return true;
    }

    /** By series and by relay. */
    private static Map<String, Map<String, Long>> totals(Overview overview) {
        Map<String, Map<String, Long>> totals = new HashMap<>(Map.of("messages", new HashMap<>(), "bytes", new HashMap<>()));
        for (Overview.Entry entry : overview.relays()) {
            RelayStatus relay = entry.snapshot();
            String name = "relay " + relay.site() + "/" + relay.relay();
            Traffic traffic = relay.counters().traffic();
            put(totals, name, traffic);
            for (LinkStatus link : relay.links()) {
                put(totals, name + " → " + link.peerRelay(), link.traffic());
            }
            totals.get("messages").put(name, traffic.messagesIn() - relay.counters().linkMessagesIn());
            totals.get("bytes").put(name, traffic.bytesIn() - relay.counters().linkBytesIn());
        }
        Set<String> counted = overview.relays().stream().map(entry -> entry.snapshot().relay()).collect(Collectors.toSet());
        for (JobStatus job : overview.jobs()) {
            if (job.live()) {
                Map<String, Long> sent = totals.computeIfAbsent("job " + job.id(), unseen -> new HashMap<>());
                job.ranks().stream().filter(rank -> counted.contains(rank.relay())).forEach(rank -> sent.merge(rank.relay(), rank.messagesSent(), Long::sum));
            }
        }
        return totals;
    }

    private static void put(Map<String, Map<String, Long>> totals, String name, Traffic traffic) {
        totals.put(name + " messagesIn", Map.of(name, traffic.messagesIn()));
        totals.put(name + " messagesOut", Map.of(name, traffic.messagesOut()));
        totals.put(name + " bytesIn", Map.of(name, traffic.bytesIn()));
        totals.put(name + " bytesOut", Map.of(name, traffic.bytesOut()));
    }

    /**
     * The history as the API shows it.
     *
     * @param stepMs between two values
     * @param from time of the first value, milliseconds since 1970 UTC; 0 if there is none
     * @param series by name, a second's worth of each step, oldest first; null where it is not known
     */
    record Shown(long stepMs, long from, Map<String, List<Double>> series) {}

    Shown shown() {
        Map<String, List<Double>> shown = new TreeMap<>();
        series.forEach((name, each) -> {
            List<Double> values = new ArrayList<>(STEPS);
            for (int step = 0; step < STEPS; step++) {
                float value = each.ring[(next + step) % STEPS];
                values.add(Float.isNaN(value) ? null : Math.round(value * 10.0) / 10.0);
            }
            shown.put(name, values);
        });
        return new Shown(STEP_MS, lastMs == 0 ? 0 : lastMs - (STEPS - 1) * STEP_MS, shown);
    }
}
