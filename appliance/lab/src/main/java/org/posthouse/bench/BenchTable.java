package org.posthouse.bench;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.experiment.Table;
import org.posthouse.bench.rank.Benchmark;

/** The lines of one test, for people. The columns are those of {@code docs/bench.md}. */
public final class BenchTable {
    private static final int SERIES_CHARS_MIN = 12;

    private final BenchPlan plan;
    private final Benchmark test;
    private final List<Figure> figures;
    private final boolean baselines;
    private final boolean tunnels;
    private final boolean besidePingPong;
    private final int seriesChars;

    /** The lines of {@code test} among {@code figures}. */
    public BenchTable(BenchPlan plan, Benchmark test, List<Figure> figures) {
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

    /** Prints a heading and one row for each figure. */
    public void print(PrintStream out) {
        out.println(title());
        Table<Figure> table = new Table<Figure>()
                .column("bytes", 8, "%d", Figure::bytes)
                .between("")
                .column("series", -seriesChars, "%s", figure -> figure.series().label())
                .column("ops", 8, "%d", figure -> figure.times().operations())
                .column("t min µs", 9, "%.1f", figure -> figure.times().minMicros())
                .column("avg", 9, "%.1f", figure -> figure.times().averageMicros())
                .column("median", 9, "%.1f", figure -> figure.times().medianMicros())
                .column("p99", 9, "%.1f", figure -> figure.times().p99Micros())
                .column("max", 9, "%.1f", figure -> figure.times().maxMicros())
                .column("MB/s", 9, "%s", figure -> test.isSized() ? String.format(Locale.ROOT, "%.1f", figure.megabytesPerSecond()) : "-")
                .between("|")
                .column("CPU µs/op", 9, "%.1f", figure -> figure.cost().cpuMicros())
                .column("heap B/op", 9, "%.0f", figure -> figure.cost().heapBytes())
                .column("frames/op", 9, "%.1f", figure -> figure.cost().frames())
                .column("payload/op", 11, "%.0f", figure -> figure.cost().payloadBytes())
                .column("link B/op", 11, "%.0f", figure -> figure.cost().linkBytes());
        if (baselines) {
            table.between("|").column("x raw", 6, "%s", figure -> ratio(figure, figure.raw(figures)))
                    .column("x fwd", 6, "%s", figure -> ratio(figure, figure.forwarder(figures)));
        }
        if (tunnels) {
            table.between("|").column("x tunnel", 8, "%s", figure -> ratio(figure, figure.tunnel(figures)));
        }
        if (besidePingPong) {
            table.between("|").column("messages/s", 10, "%.0f", Figure::operationsPerSecond).column("x pingpong", 10, "%.1f", Figure::timesPingPong);
        }
        table.print(out, figures);
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

    private static String ratio(Figure figure, Optional<Figure> baseline) {
        return baseline.map(other -> String.format(Locale.ROOT, "%.2f", figure.times(other))).orElse("-");
    }
}
