package org.posthouse.launch.reserve;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.posthouse.launch.place.NodeSlots;

/**
 * Counts the slots that have joined a job, against those that each site's part is to bring. Confined to the launching
 * thread. Times are those of a monotonic clock in nanoseconds.
 *
 * <p>A part is there if the nodes of its site that are there now have enough free slots. A node that is missing counts as
 * gone only after {@link #ABSENCE_NS_MAX}: agents dial again after a cut, and a relay that starts again has none at first.
 */
public final class ExpectedParts {
    /** How long a node may be missing before it is reported as gone: longer than agents take to dial again. */
    static final long ABSENCE_NS_MAX = TimeUnit.SECONDS.toNanos(5);

    private static final int NODES_NAMED_MAX = 4;

    /** By site, in the order in which the parts are named. */
    private final Map<String, Part> parts = new LinkedHashMap<>();

    /** Labels without which a node does not count. */
    private final Map<String, String> labels;

    /** Agents of which it was told that they do not count. */
    private final Set<Long> unfit = new HashSet<>();

    /** A site's part. */
    private static final class Part {
        private final String site;
        private final int expected;

        /** Nodes that are there, or were a short time ago, by the agent's number. */
        private final Map<Long, Seen> nodes = new TreeMap<>();

        /** Free slots of the nodes that are there. */
        private int slots;

        /** Whether it was complete at the last look. */
        private boolean wasThere;

        Part(String site, int expected) {
            this.site = site;
            this.expected = expected;
        }

        boolean isThere() {
            return slots >= expected;
        }

        /** {@code site-a 8 of 64}. */
        String standing() {
            return site + " " + slots + " of " + expected;
        }
    }

    /**
     * A node of a part.
     *
     * @param node as it was last
     * @param atNs when it was there last
     */
    private record Seen(NodeSlots node, long atNs) {}

    /**
     * @param expected slots by site, in the order in which people named them
     * @param labels without which a node does not count
     */
    public ExpectedParts(Map<String, Integer> expected, Map<String, String> labels) {
        this.labels = Map.copyOf(labels);
        expected.forEach((site, slots) -> parts.put(site, new Part(site, slots)));
    }

    /**
     * The nodes that have joined the job.
     *
     * @param nodes those that are there now
     * @param unheard sites of which a relay cannot be asked now: their nodes are neither there nor gone
     * @return lines for people: parts that are complete, nodes that are gone, and nodes that do not count
     */
    public List<String> onNodes(List<NodeSlots> nodes, Set<String> unheard, long nowNs) {
        List<String> lines = new ArrayList<>();
        Map<String, List<NodeSlots>> bySite = nodes.stream().filter(node -> counts(node, lines)).collect(Collectors.groupingBy(NodeSlots::site));
        for (Part part : parts.values()) {
            look(part, bySite.getOrDefault(part.site, List.of()), unheard.contains(part.site), nowNs, lines);
        }
        return lines;
    }

    /** Whether the job could be placed there. */
    private boolean counts(NodeSlots node, List<String> lines) {
        String lacking = labels.entrySet().stream()
                .filter(label -> !label.getValue().equals(node.labels().get(label.getKey())))
                .map(label -> label.getKey() + "=" + label.getValue())
                .sorted()
                .collect(Collectors.joining(", "));
        if (!lacking.isEmpty() && unfit.add(node.agent())) {
            lines.add("node " + node.name() + " of " + node.site() + " does not count: it lacks " + lacking + " (--where)");
        }
        return lacking.isEmpty();
    }

    private static void look(Part part, List<NodeSlots> there, boolean isUnheard, long nowNs, List<String> lines) {
        there.forEach(node -> part.nodes.put(node.agent(), new Seen(node, nowNs)));
        part.slots = there.stream().mapToInt(NodeSlots::free).sum();
        if (isUnheard) {
            part.nodes.replaceAll((agent, seen) -> new Seen(seen.node, nowNs));
            return;
        }
        List<NodeSlots> gone = part.nodes.values().stream().filter(seen -> nowNs - seen.atNs >= ABSENCE_NS_MAX).map(Seen::node).toList();
        gone.forEach(node -> part.nodes.remove(node.agent()));
        if (!gone.isEmpty()) {
            lines.add(lineOfGone(part, gone));
        }
        if (part.isThere() && !part.wasThere) {
            lines.add("the part of " + part.site + " is there: " + part.slots + " of " + part.expected + " slots on " + there.size()
                    + (there.size() == 1 ? " node" : " nodes"));
        }
        // A part that is away for a moment is not reported twice.
        part.wasThere = part.isThere() || part.wasThere && gone.isEmpty();
    }

    private static String lineOfGone(Part part, List<NodeSlots> gone) {
        int slots = gone.stream().mapToInt(NodeSlots::slots).sum();
        if (part.nodes.isEmpty()) {
            return "the part of " + part.site + " has ended: its " + slots + " slots are gone, and 0 of " + part.expected + " are there";
        }
        String named = gone.stream().limit(NODES_NAMED_MAX).map(NodeSlots::name).collect(Collectors.joining(", "));
        String more = gone.size() > NODES_NAMED_MAX ? " and " + (gone.size() - NODES_NAMED_MAX) + " more" : "";
        return "the part of " + part.site + " has lost " + (gone.size() == 1 ? "node " : "nodes ") + named + more + " with " + slots + " slots: " + part.slots
                + " of " + part.expected + " are there";
    }

    /** Whether all parts are there. */
    public boolean areThere() {
        return parts.values().stream().allMatch(Part::isThere);
    }

    /** How far all parts have come, for people: {@code site-a 64 of 64 slots, site-b 8 of 32}. */
    public String standing() {
        return parts.values().stream().map(Part::standing).collect(Collectors.joining(", ")).replaceFirst("( of [0-9]+)", "$1 slots");
    }

    /** The parts that are late, and those that are not, for people. */
    public String late() {
        String late = parts.values().stream()
                .filter(part -> !part.isThere())
                .map(part -> part.site + " is late with " + part.slots + " of " + part.expected + " slots")
                .collect(Collectors.joining("; "));
        String there = parts.values().stream().filter(Part::isThere).map(Part::standing).collect(Collectors.joining(", "));
        return there.isEmpty() ? late : late + "; there: " + there;
    }
}
