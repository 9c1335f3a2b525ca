package org.posthouse.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.posthouse.cli.terminal.OneLine;
import org.posthouse.launch.place.GridNodes;
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
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int column = 0; column < row.size(); column++) {
                int at = column;
                int width = rows.stream().mapToInt(other -> other.get(at).length()).max().orElse(0);
                String padding = " ".repeat(width - row.get(column).length());
                boolean number = column >= NUMBERS_FROM && column < NUMBERS_TO;
                line.append(number ? padding + row.get(column) : row.get(column) + padding).append("  ");
            }
            text.append(line.toString().stripTrailing()).append(System.lineSeparator());
        }
        return text.toString();
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
