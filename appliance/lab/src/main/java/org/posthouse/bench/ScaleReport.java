package org.posthouse.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleFunction;

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
        draw("overall bandwidth (MB/s)", figures, figure -> Medians.of(figure.overallMegabytes()), file);
        List<ScaleFigure> shortest = figures.stream().filter(figure -> figure.bytes() == plan.sizes().getFirst()).toList();
        draw("half a round trip (µs)", shortest, figure -> Medians.of(figure.latencyMicros()), latencyPlot(file));
    }

    /** The relay paper's figures 4 to 9: over the number of clients, a column for each number of relays, and a row for each size. */
    private void draw(String name, List<ScaleFigure> drawn, ToDoubleFunction<ScaleFigure> value, Path file) throws IOException {
        Chart chart = new Chart("clients", name);
        for (ScaleFigure figure : drawn) {
            int relays = figure.cell().relays();
            int clients = figure.cell().clients();
            chart.add(SizeList.text(figure.bytes()) + " bytes", relays + (relays == 1 ? " relay" : " relays"), figure.series().label(), clients,
                    Integer.toString(clients), value.applyAsDouble(figure));
        }
        chart.write("posthouse bench scale: " + name, Chart.subtitle(plan.repetitions()), file);
    }

    /** For {@code scale.svg}, {@code scale-latency.svg} beside it. */
    public static Path latencyPlot(Path file) {
        return Chart.beside(file, "-latency");
    }
}
