package org.posthouse.ops;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.posthouse.status.JobStatus;
import org.posthouse.status.LinkStatus;
import org.posthouse.status.RankStatus;
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
        private long total;
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
        Map<String, Long> totals = totals(overview);
        double seconds = (nowMs - lastMs) / 1e3;
        series.values().forEach(each -> {
            each.ring[next] = Float.NaN;
            each.isFresh = false;
        });
        totals.forEach((name, total) -> {
            Series known = series.get(name);
            if (known != null) {
                known.ring[next] = (float) (Math.max(0, total - known.total) / seconds);
            } else if (series.size() < SERIES_MAX) {
                known = new Series();
                series.put(name, known);
            }
            if (known != null) {
                known.total = total;
                known.isFresh = true;
            }
        });
        series.values().removeIf(each -> !each.isFresh && isEmpty(each));
        next = (next + 1) % STEPS;
        lastMs = nowMs;
    }

    private static boolean isEmpty(Series each) {
        for (float value : each.ring) {
            if (!Float.isNaN(value)) {
                return false;
            }
        }
        return true;
    }

    private static Map<String, Long> totals(Overview overview) {
        Map<String, Long> totals = new HashMap<>();
        long messages = 0;
        long bytes = 0;
        for (Overview.Entry entry : overview.relays()) {
            RelayStatus relay = entry.snapshot();
            String name = "relay " + relay.site() + "/" + relay.relay();
            Traffic traffic = relay.counters().traffic();
            put(totals, name, traffic);
            for (LinkStatus link : relay.links()) {
                put(totals, name + " → " + link.peerRelay(), link.traffic());
            }
            messages += traffic.messagesIn() - relay.counters().linkMessagesIn();
            bytes += traffic.bytesIn() - relay.counters().linkBytesIn();
        }
        totals.put("messages", messages);
        totals.put("bytes", bytes);
        for (JobStatus job : overview.jobs()) {
            if (job.live()) {
                totals.put("job " + job.id(), job.ranks().stream().mapToLong(RankStatus::messagesSent).sum());
            }
        }
        return totals;
    }

    private static void put(Map<String, Long> totals, String name, Traffic traffic) {
        totals.put(name + " messagesIn", traffic.messagesIn());
        totals.put(name + " messagesOut", traffic.messagesOut());
        totals.put(name + " bytesIn", traffic.bytesIn());
        totals.put(name + " bytesOut", traffic.bytesOut());
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
