package org.posthouse.launch.place;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Sorts nodes by their distance from the submitter, without the noise of the measurement.
 *
 * <p>The P2P-MPI chapter (section 3.4) sorts by raw round trips. Hosts of three sites within 0.6 ms then interleave,
 * and a job's neighbours end at different sites. Two round trips closer than {@value #RESOLUTION_MICROS} us or 5 % count
 * as equal here. A node that close to the median of its site counts as far as that median, so that a site's nodes stay
 * together. Other nodes, such as a distant volunteer, keep their own distance, rounded to the same resolution. Between
 * equals the site's name decides, then the host's, the node's and the agent's number.
 */
public final class NodeOrder {
    /** Resolution up to 1 ms, in microseconds. */
    static final long RESOLUTION_MICROS = 50;

    /** Resolution beyond, as a part of the round trip. */
    static final double RESOLUTION = 0.05;

    private NodeOrder() {}

    /** The nodes, nearest first. */
    public static List<NodeSlots> byDistance(List<NodeSlots> nodes) {
        Map<String, Long> medians = medians(nodes);
        return nodes.stream()
                .sorted(Comparator.<NodeSlots>comparingLong(node -> distanceMicros(node, medians.get(node.site())))
                        .thenComparing(NodeSlots::site)
                        .thenComparing(NodeSlots::host)
                        .thenComparing(NodeSlots::name)
                        .thenComparingLong(NodeSlots::agent))
                .toList();
    }

    private static long distanceMicros(NodeSlots node, long siteMedianMicros) {
        long micros = node.distanceMicros();
        return Math.abs(micros - siteMedianMicros) <= resolutionMicros(siteMedianMicros) ? siteMedianMicros : rounded(micros);
    }

    private static double resolutionMicros(long micros) {
        return Math.max(RESOLUTION_MICROS, RESOLUTION * micros);
    }

    /** Distance rounded to the resolution: a multiple of 50 us up to 1 ms, then a power of 1.05. */
    static long rounded(long micros) {
        double border = RESOLUTION_MICROS / RESOLUTION;
        if (micros <= border) {
            return Math.round(micros / (double) RESOLUTION_MICROS) * RESOLUTION_MICROS;
        }
        double step = Math.log1p(RESOLUTION);
        return Math.round(border * Math.exp(Math.round(Math.log(micros / border) / step) * step));
    }

    private static Map<String, Long> medians(List<NodeSlots> nodes) {
        Map<String, List<Long>> distances = new HashMap<>();
        for (NodeSlots node : nodes) {
            distances.computeIfAbsent(node.site(), site -> new ArrayList<>()).add(node.distanceMicros());
        }
        Map<String, Long> medians = new HashMap<>();
        distances.forEach((site, micros) -> medians.put(site, micros.stream().sorted().toList().get(micros.size() / 2)));
        return medians;
    }
}
