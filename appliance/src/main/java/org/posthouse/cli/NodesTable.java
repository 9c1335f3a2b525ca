package org.posthouse.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.posthouse.cli.terminal.OneLine;
import org.posthouse.cli.terminal.TextTable;
import org.posthouse.launch.place.GridNodes;
import org.posthouse.launch.place.RecordedNodes;
import org.posthouse.wire.AgentOffer;

/** The answer of {@code posthouse nodes} as a table: one line for each node, columns as wide as needed. Stateless. */
final class NodesTable {
    private static final List<String> HEAD =
            List.of("SITE", "RELAY", "NODE", "HOST", "STATE", "SLOTS", "FREE", "JOBS", "CORES", "MEMORY", "RTT", "VERSION", "LABELS");

    /** Columns of numbers, which are aligned at their right. */
    private static final int NUMBERS_FROM = 5;

    private static final int NUMBERS_TO = 11;
    private static final double GIB = 1L << 30;

    private NodesTable() {}

    static String of(List<GridNodes.Node> nodes) {
        if (nodes.isEmpty()) {
            return "no node is connected; start one with posthouse agent" + System.lineSeparator();
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(HEAD);
        nodes.forEach(node -> rows.add(row(node)));
        return TextTable.of(rows, column -> column >= NUMBERS_FROM && column < NUMBERS_TO);
    }

    /** Lines for relays that have not answered, as the elected relay knows them, and the sum; empty if all have. */
    static String recorded(List<GridNodes.Node> nodes, RecordedNodes recorded, long nowMs) {
        StringBuilder text = new StringBuilder();
        int count = nodes.size();
        long slots = nodes.stream().mapToLong(node -> node.offer().slots()).sum();
        for (RecordedNodes.Relay relay : recorded.relays()) {
            text.append("relay ").append(OneLine.of(relay.relay())).append(" of site ").append(OneLine.of(relay.site())).append(": ")
                    .append(counts(relay.nodes(),
                            relay.slots()))
                    .append(", as ").append(source(recorded.leader())).append(" has recorded").append(age(relay.written(), nowMs));
            text.append(System.lineSeparator());
            count += relay.nodes();
            slots += relay.slots();
        }
        return text.isEmpty() ? "" : text + "in all " + counts(count, slots) + System.lineSeparator();
    }

    private static String source(String leader) {
        return leader.isEmpty() ? "a relay that does not lead any more" : "the elected relay " + OneLine.of(leader);
    }

    private static String counts(long nodes, long slots) {
        return nodes + (nodes == 1 ? " node, " : " nodes, ") + slots + (slots == 1 ? " slot" : " slots");
    }

    /** By two clocks, so a time that has not come yet is told as now. */
    private static String age(long writtenMs, long nowMs) {
        return writtenMs == 0 ? "" : ", unchanged for " + Math.max(0, TimeUnit.MILLISECONDS.toSeconds(nowMs - writtenMs)) + " s";
    }

    private static List<String> row(GridNodes.Node node) {
        AgentOffer offer = node.offer();
        List<String> labels = offer.labels().entrySet().stream().map(label -> label.getKey() + "=" + label.getValue()).toList();
        return List.of(
                OneLine.of(node.site()),
                OneLine.of(node.relay()),
                OneLine.of(offer.name()),
                OneLine.of(offer.host()),
                state(offer),
                Integer.toString(offer.slots()),
                Integer.toString(offer.free()),
                offer.jobsNow() + "/" + offer.jobs(),
                Integer.toString(offer.cores()),
                String.format(Locale.ROOT, "%.1f GiB", offer.memoryBytes() / GIB),
                offer.rttMicros() == 0 ? "-" : String.format(Locale.ROOT, "%.2f ms", offer.rttMicros() / 1e3),
                OneLine.of(offer.version()),
                OneLine.of(String.join(",", labels)));
    }

    static String state(AgentOffer offer) {
        return offer.draining() ? "draining" : "open";
    }
}
