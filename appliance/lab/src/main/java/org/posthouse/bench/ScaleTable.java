package org.posthouse.bench;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** The lines of one cell of {@code bench scale}, for people. The columns are those of {@code docs/bench.md}. */
final class ScaleTable {
    private final ScalePlan.Cell cell;
    private final List<ScaleFigure> figures;

    ScaleTable(ScalePlan.Cell cell, List<ScaleFigure> figures) {
        this.cell = cell;
        this.figures = figures;
    }

    void print(PrintStream out) {
        out.println("scale, " + cell + ", " + cell.pairs() + (cell.pairs() == 1 ? " pair" : " pairs"));
        out.println(text("%8s  %-20s %12s %10s %9s %6s %6s | %10s %6s %6s | %10s %10s",
                "bytes", "series", "overall MB/s", "total MB/s", "slow/med", "x raw", "x fwd", "latency µs", "x raw", "x fwd",
                "CPU µs/msg", "heap B/msg"));
        figures.forEach(figure -> line(figure, out));
        out.println();
    }

    private void line(ScaleFigure figure, PrintStream out) {
        Cost cost = figure.cost();
        out.println(text("%8d  %-20s %12s %10s %9.2f %6s %6s | %10.1f %6s %6s | %10.1f %10.0f",
                figure.bytes(), figure.series().label(), megabytes(figure.overallMegabytes()),
                megabytes(figure.totalMegabytes()), figure.slowestOverMedian(),
                ratio(figure.raw(figures), figure::bandwidthTimes), ratio(figure.widerForwarder(figures), figure::bandwidthTimes),
                Medians.of(figure.latencyMicros()),
                ratio(figure.raw(figures), figure::latencyTimes), ratio(figure.quickerForwarder(figures), figure::latencyTimes),
                cost.cpuMicros(), cost.heapBytes()));
    }

    private static String megabytes(List<Double> repetitions) {
        double median = Medians.of(repetitions);
        return text(median < 10 ? "%.4f" : "%.1f", median);
    }

    private static String ratio(Optional<ScaleFigure> baseline, ToDoubleFunction<ScaleFigure> times) {
        return baseline.map(other -> text("%.2f", times.applyAsDouble(other))).orElse("-");
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
