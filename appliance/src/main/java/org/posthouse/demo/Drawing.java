package org.posthouse.demo;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import org.posthouse.launch.ReadyLine;

/** Draws for a terminal what the demo's jobs did. */
final class Drawing {
    private final PrintStream out;

    Drawing(PrintStream out) {
        this.out = out;
    }

    void draw(List<ReadyLine> relays, List<JobReport> reports) {
        long frames = reports.stream().mapToLong(report -> report.traffic().linkFrames()).sum();
        long bytes = reports.stream().mapToLong(report -> report.traffic().linkBytes()).sum();
        int half = reports.get(0).ranks() / relays.size();
        out.println();
        out.println("What happened:");
        out.println();
        String left = box(relays.get(0).relay());
        String right = box(relays.get(1).relay());
        out.println(String.format("   %-10s┌", "ranks 0-" + (half - 1)) + "─".repeat(left.length()) + "┐    TLS link     ┌"
                + "─".repeat(right.length()) + "┐   ranks " + half + "-" + (2 * half - 1));
        out.println("   o o o o ──┤" + left + "├═════════════════┤" + right + "├── o o o o");
        out.println("             └" + "─".repeat(left.length()) + "┘ " + center(human(frames) + " frames", 15) + " └"
                + "─".repeat(right.length()) + "┘");
        out.println(" ".repeat(15 + left.length()) + " " + center(humanBytes(bytes), 15));
        out.println();
        out.printf("   %-10s %6s %9s %12s %14s %12s  %s%n", "job", "ranks", "seconds", "messages", "link frames", "link bytes", "result");
        for (JobReport report : reports) {
            out.printf(
                    Locale.ROOT,
                    "   %-10s %6d %9.2f %,12d %,14d %12s  %s%n",
                    report.name(),
                    report.ranks(),
                    report.outcome().seconds(),
                    report.traffic().matched(),
                    report.traffic().linkFrames(),
                    humanBytes(report.traffic().linkBytes()),
                    report.verified() ? "verified" : "FAILED");
        }
        out.println();
    }

    private static String box(String relay) {
        return " relay " + relay + " ";
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
