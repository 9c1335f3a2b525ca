package org.posthouse.demo;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import org.posthouse.launch.install.ReadyLine;

/** Draws for a terminal what the demo's jobs did. */
final class Drawing {
    private final PrintStream out;

    Drawing(PrintStream out) {
        this.out = out;
    }

    void draw(List<ReadyLine> relays, List<DemoReport> reports) {
        long frames = reports.stream().mapToLong(report -> report.traffic().linkFrames()).sum();
        long bytes = reports.stream().mapToLong(report -> report.traffic().linkBytes()).sum();
        out.println();
        out.println("What happened:");
        out.println();
        for (int row = 0; row < relays.size() / 2; row++) {
            row(relays, row, reports.get(0).ranks() / 2);
        }
        int column = 15 + boxes(relays).get(0).length() + 1;
        out.println(" ".repeat(column) + center(human(frames) + " frames", 15));
        out.println(" ".repeat(column) + center(humanBytes(bytes), 15));
        out.println();
        out.printf("   %-10s %6s %9s %12s %14s %12s  %-9s %s%n", "job", "ranks", "seconds", "messages", "link frames", "link bytes", "result", "kill -9");
        for (DemoReport report : reports) {
            out.printf(
                    Locale.ROOT,
                    "   %-10s %6d %9.2f %,12d %,14d %12s  %-9s %s%n",
                    report.name(),
                    report.ranks(),
                    report.outcome().seconds(),
                    report.traffic().matched(),
                    report.traffic().linkFrames(),
                    humanBytes(report.traffic().linkBytes()),
                    report.verified() ? "verified" : "FAILED",
                    report.recovery());
        }
        out.println();
    }

    /** The relays of that number at both sites; {@code half} the ranks are at each site. */
    private void row(List<ReadyLine> relays, int row, int half) {
        int rows = relays.size() / 2;
        String left = boxes(relays).get(row);
        String right = boxes(relays).get(rows + row);
        int first = firstRank(row, rows, half);
        int last = firstRank(row + 1, rows, half) - 1;
        String dots = "o ".repeat(last - first + 1);
        out.println(String.format("   %-10s┌", ranks(first, last)) + "─".repeat(left.length()) + "┐    TLS link     ┌"
                + "─".repeat(right.length()) + "┐   " + ranks(half + first, half + last));
        out.println(String.format("   %8s──┤", dots) + left + "├═════════════════┤" + right + "├── " + dots.strip());
        out.println("             └" + "─".repeat(left.length()) + "┘" + " ".repeat(17) + "└" + "─".repeat(right.length()) + "┘");
    }

    /** As the launcher places the ranks of a site: blocks, the first relays' the longer ones. */
    private static int firstRank(int row, int rows, int ranks) {
        return row * (ranks / rows) + Math.min(row, ranks % rows);
    }

    private static String ranks(int first, int last) {
        return first == last ? "rank " + first : "ranks " + first + "-" + last;
    }

    /** The texts in the relays' boxes, all as wide as the widest. */
    private static List<String> boxes(List<ReadyLine> relays) {
        int width = relays.stream().mapToInt(relay -> relay.relay().length()).max().orElseThrow();
        return relays.stream().map(relay -> " relay " + relay.relay() + " ".repeat(width + 1 - relay.relay().length())).toList();
    }

    private static String center(String text, int width) {
        int left = Math.max(0, (width - text.length()) / 2);
        return " ".repeat(left) + text + " ".repeat(Math.max(0, width - text.length() - left));
    }

    private static String human(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    private static String humanBytes(long bytes) {
        if (bytes < 10_000) {
            return bytes + " B";
        }
        return bytes < 10_000_000
                ? String.format(Locale.ROOT, "%.1f kB", bytes / 1e3)
                : String.format(Locale.ROOT, "%.1f MB", bytes / 1e6);
    }
}
