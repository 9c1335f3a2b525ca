package org.posthouse.bench;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The lines of one test, for people. The columns are those of {@code docs/bench.md}. */
final class BenchTable {
    private static final int SERIES_CHARS_MIN = 12;

    private final BenchPlan plan;
    private final Benchmark test;
    private final List<Figure> figures;
    private final boolean baselines;
    private final boolean tunnels;
    private final boolean besidePingPong;
    private final int seriesChars;

    BenchTable(BenchPlan plan, Benchmark test, List<Figure> figures) {
        this.plan = plan;
        this.test = test;
        this.figures = figures;
        this.baselines = figures.stream().anyMatch(figure -> figure.series().carrier() == Carrier.RAW);
        this.tunnels = figures.stream().anyMatch(figure -> figure.series().carrier().isTunnel());
        this.besidePingPong = figures.stream().anyMatch(figure -> figure.pingPong().isPresent());
        this.seriesChars = figures.stream()
                .mapToInt(figure -> figure.series().label().length())
                .reduce(SERIES_CHARS_MIN, Math::max);
    }

    void print(PrintStream out) {
        out.println(title());
        out.print(text("%8s  %-" + seriesChars + "s %8s %9s %9s %9s %9s %9s %9s | %9s %9s %9s %11s %11s", "bytes", "series", "ops",
                "t min µs", "avg", "median", "p99", "max", "MB/s", "CPU µs/op", "heap B/op", "frames/op", "payload/op", "link B/op"));
        out.print(baselines ? text(" | %6s %6s", "x raw", "x fwd") : "");
        out.print(tunnels ? text(" | %8s", "x tunnel") : "");
        out.println(besidePingPong ? text(" | %10s %10s", "messages/s", "x pingpong") : "");
        figures.forEach(figure -> line(figure, out));
        out.println();
    }

    private String title() {
        String who = test.isOfPairs() ? plan.pairs() + (plan.pairs() == 1 ? " pair" : " pairs") : plan.ranks() + " ranks";
        String where = plan.where();
        return test + ", " + who + ", " + where + switch (test) {
            case PINGPONG -> "; t is half a round trip";
            case STREAM -> "; t is a message's share of a window";
            default -> "";
        };
    }

    private void line(Figure figure, PrintStream out) {
        Statistics times = figure.times();
        Cost cost = figure.cost();
        out.print(text("%8d  %-" + seriesChars + "s %8d %9.1f %9.1f %9.1f %9.1f %9.1f %9s | %9.1f %9.0f %9.1f %11.0f %11.0f",
                figure.bytes(), figure.series().label(), times.operations(), times.minMicros(), times.averageMicros(),
                times.medianMicros(), times.p99Micros(), times.maxMicros(),
                test.isSized() ? text("%.1f", figure.megabytesPerSecond()) : "-",
                cost.cpuMicros(), cost.heapBytes(), cost.frames(), cost.payloadBytes(), cost.linkBytes()));
        out.print(baselines ? text(" | %6s %6s", ratio(figure, figure.raw(figures)), ratio(figure, figure.forwarder(figures))) : "");
        out.print(tunnels ? text(" | %8s", ratio(figure, figure.tunnel(figures))) : "");
        out.println(besidePingPong ? text(" | %10.0f %10.1f", figure.operationsPerSecond(), figure.timesPingPong()) : "");
    }

    private static String ratio(Figure figure, Optional<Figure> baseline) {
        return baseline.map(other -> text("%.2f", figure.times(other))).orElse("-");
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
