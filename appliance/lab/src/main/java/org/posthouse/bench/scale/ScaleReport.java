package org.posthouse.bench.scale;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.posthouse.bench.experiment.Chart;
import org.posthouse.bench.experiment.Report;
import org.posthouse.bench.experiment.SizeList;
import org.posthouse.bench.statistics.Medians;

/** The measurements of {@code bench scale}, for people, programs and eyes. Immutable. */
public final class ScaleReport implements Report {
    private static final String BASELINE =
            "raw: one TCP hop between the two ranks of each pair; vertx, selector: as many bare forwarders as relays; the "
                    + "forwarder of a ratio is the better of the two; phases of all series alternate in one run";

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
    public String baseline() {
        return BASELINE;
    }

    @Override
    public void addTo(ObjectNode report) {
        report.put("repetitions", plan.repetitions())
                .put("phaseMs", plan.phaseMs())
                .put("processes", plan.processes());
        ArrayNode array = report.putArray("figures");
        figures.forEach(figure -> add(figure, figures, array.addObject()));
    }

    private static void add(ScaleFigure figure, List<ScaleFigure> figures, ObjectNode node) {
        ScaleSeries series = figure.series();
        node.put("clients", figure.cell().clients())
                .put("pairs", figure.cell().pairs())
                .put("relays", figure.cell().relays())
                .put("bytes", figure.bytes())
                .put("carrier", series.carrier().word());
        series.mode().ifPresent(mode -> node.put("mode", mode.word()).put("durability", series.durability()));
        node.put("overallMegabytesPerSecond", Medians.of(figure.overallMegabytes()))
                .put("totalMegabytesPerSecond", Medians.of(figure.totalMegabytes()))
                .put("slowestOverMedian", figure.slowestOverMedian())
                .put("latencyMicros", Medians.of(figure.latencyMicros()));
        figure.raw(figures).ifPresent(raw -> node.put("bandwidthTimesRaw", figure.bandwidthTimes(raw))
                .put("latencyTimesRaw", figure.latencyTimes(raw)));
        figure.widerForwarder(figures).ifPresent(wider -> node.put("bandwidthTimesForwarder", figure.bandwidthTimes(wider)));
        figure.quickerForwarder(figures).ifPresent(quicker -> node.put("latencyTimesForwarder", figure.latencyTimes(quicker)));
        node.putObject("relayCost")
                .put("cpuMicrosPerMessage", figure.cost().cpuMicros())
                .put("heapBytesPerMessage", figure.cost().heapBytes())
                .put("framesPerMessage", figure.cost().frames());
        ArrayNode overall = node.putArray("overallMegabytesPerSecondOfRepetitions");
        figure.overallMegabytes().forEach(overall::add);
        ArrayNode latencies = node.putArray("latencyMicrosOfRepetitions");
        figure.latencyMicros().forEach(latencies::add);
    }

    /** Overall bandwidth against the number of clients in {@code file}, latency in the file that {@link #latencyPlot} names. */
    @Override
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
