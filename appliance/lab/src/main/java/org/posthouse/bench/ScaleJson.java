package org.posthouse.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The report of {@code bench scale} for programs. The keys are those of {@code docs/bench.md}. */
final class ScaleJson {
    private static final String BASELINE =
            "raw: one TCP hop between the two ranks of each pair; vertx, selector: as many bare forwarders as relays; the "
                    + "forwarder of a ratio is the better of the two; phases of all series alternate in one run";

    private ScaleJson() {}

    static void write(ScalePlan plan, List<ScaleFigure> figures, String command, Path file) throws IOException {
        BenchJson.write(file, command, BASELINE, report -> {
            report.put("repetitions", plan.repetitions())
                    .put("phaseMs", plan.phaseMs())
                    .put("processes", plan.processes());
            ArrayNode array = report.putArray("figures");
            figures.forEach(figure -> add(figure, figures, array.addObject()));
        });
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
}
