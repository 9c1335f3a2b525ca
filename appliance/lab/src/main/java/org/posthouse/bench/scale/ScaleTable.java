package org.posthouse.bench.scale;

import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import org.posthouse.bench.experiment.Table;
import org.posthouse.bench.statistics.Medians;

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
        new Table<ScaleFigure>()
                .column("bytes", 8, "%d", ScaleFigure::bytes)
                .between("")
                .column("series", -20, "%s", figure -> figure.series().label())
                .column("overall MB/s", 12, "%s", figure -> megabytes(figure.overallMegabytes()))
                .column("total MB/s", 10, "%s", figure -> megabytes(figure.totalMegabytes()))
                .column("slow/med", 9, "%.2f", ScaleFigure::slowestOverMedian)
                .column("x raw", 6, "%s", figure -> ratio(figure.raw(figures), figure::bandwidthTimes))
                .column("x fwd", 6, "%s", figure -> ratio(figure.widerForwarder(figures), figure::bandwidthTimes))
                .between("|")
                .column("latency µs", 10, "%.1f", figure -> Medians.of(figure.latencyMicros()))
                .column("x raw", 6, "%s", figure -> ratio(figure.raw(figures), figure::latencyTimes))
                .column("x fwd", 6, "%s", figure -> ratio(figure.quickerForwarder(figures), figure::latencyTimes))
                .between("|")
                .column("CPU µs/msg", 10, "%.1f", figure -> figure.cost().cpuMicros())
                .column("heap B/msg", 10, "%.0f", figure -> figure.cost().heapBytes())
                .print(out, figures);
        out.println();
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
