package org.posthouse.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/** What {@code bench scale} measured, for people, programs and eyes. Immutable. */
public final class ScaleReport implements Report {
    private final ScalePlan plan;
    private final List<ScaleFigure> figures;

    ScaleReport(ScalePlan plan, List<ScaleFigure> figures) {
        this.plan = plan;
        this.figures = List.copyOf(figures);
    }

    /** A table for each number of clients at each number of relays. */
    @Override
    public void print(PrintStream out) {
        for (ScalePlan.Cell cell : plan.cells()) {
            new ScaleTable(cell, figures.stream().filter(figure -> figure.cell().equals(cell)).toList()).print(out);
        }
    }

    @Override
    public void writeJson(String command, Path file) throws IOException {
        ScaleJson.write(plan, figures, command, file);
    }

    /** Overall bandwidth against the number of clients in {@code file}, latency in the file that {@link #latencyPlot} names. */
    public void writePlot(Path file) throws IOException {
        ScalePlot.bandwidth(plan, figures, file);
        ScalePlot.latency(plan, figures, latencyPlot(file));
    }

    /** For {@code scale.svg}, {@code scale-latency.svg} beside it. */
    public static Path latencyPlot(Path file) {
        return BenchPlot.beside(file, "-latency");
    }
}
