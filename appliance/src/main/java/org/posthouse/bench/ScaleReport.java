package org.posthouse.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/** What {@code bench scale} measured, for people, programs and eyes. Immutable. */
public final class ScaleReport {
    private final ScalePlan plan;
    private final List<ScaleFigure> figures;

    ScaleReport(ScalePlan plan, List<ScaleFigure> figures) {
        this.plan = plan;
        this.figures = List.copyOf(figures);
    }

    /** A table for each number of clients at each number of relays. */
    public void print(PrintStream out) {
        for (ScalePlan.Cell cell : plan.cells()) {
            new ScaleTable(cell, figures.stream().filter(figure -> figure.cell().equals(cell)).toList()).print(out);
        }
    }

    /**
     * Everything, with the machine and the time.
     *
     * @param command how the bench was called
     */
    public void writeJson(String command, Path file) throws IOException {
        ScaleJson.write(plan, figures, command, file);
    }

    /** Overall bandwidth against the number of clients in {@code file}, latency in the file that {@link #latencyPlot} names. */
    public void writePlots(Path file) throws IOException {
        ScalePlot.bandwidth(plan, figures, file);
        ScalePlot.latency(plan, figures, latencyPlot(file));
    }

    /** For {@code scale.svg}, {@code scale-latency.svg} beside it. */
    public static Path latencyPlot(Path file) {
        return BenchPlot.beside(file, "-latency");
    }
}
