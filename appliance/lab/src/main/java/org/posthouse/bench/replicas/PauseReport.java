package org.posthouse.bench.replicas;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.posthouse.bench.experiment.Chart;
import org.posthouse.bench.experiment.Report;
import org.posthouse.bench.experiment.Table;
import org.posthouse.bench.statistics.Medians;

/** The measurements of {@code bench replicas --pause}. The columns are those of {@code docs/bench.md}. Immutable. */
public final class PauseReport implements Report {
    private static final String BASELINE = "r=1, whose killed rank is restarted from its log; kills of all degrees take turns";

    private final PausePlan plan;
    private final List<Line> lines;
    private final MachineLoad load;

    /** The kills of one degree. */
    private record Line(int degree, List<PauseSample> samples) {
        double[] sorted() {
            return samples.stream().mapToDouble(PauseSample::pauseMs).sorted().toArray();
        }

        List<Double> pauses() {
            return samples.stream().map(PauseSample::pauseMs).toList();
        }

        double median() {
            return Medians.of(samples, PauseSample::pauseMs);
        }
    }

    PauseReport(PausePlan plan, Map<Integer, List<PauseSample>> samples, MachineLoad load) {
        this.plan = plan;
        this.load = load;
        List<Line> all = new ArrayList<>();
        samples.forEach((degree, ofDegree) -> all.add(new Line(degree, List.copyOf(ofDegree))));
        this.lines = List.copyOf(all);
    }

    @Override
    public void print(PrintStream out) {
        out.printf(
                Locale.ROOT, "a leader killed in each of %d jobs of 2 ranks with r processes each, durability %s; %s; ms%n", plan.kills(),
                plan.durability().word(),
                load.words());
        new Table<Line>()
                .column("r", 3, "%d", Line::degree)
                .column("kills", 6, "%d", line -> line.samples().size())
                .column("pause median", 13, "%.1f", Line::median)
                .column("least", 9, "%.1f", line -> line.sorted()[0])
                .column("most", 9, "%.1f", line -> line.sorted()[line.samples().size() - 1])
                .column("x r=1", 7, "%.3f", this::timesOne)
                .column("known", 9, "%.1f", line -> Medians.of(line.samples(), PauseSample::knownMs))
                .column("started", 9, "%.1f", line -> Medians.of(line.samples(), PauseSample::startedMs))
                .column("behind", 8, "%.0f", line -> Medians.of(line.samples(), PauseSample::behind))
                .print(out, lines);
    }

    /** The median of the ratios of kills that followed each other. */
    private double timesOne(Line line) {
        return Medians.ratio(line.pauses(), lines.stream().filter(other -> other.degree() == 1).findFirst().orElseThrow().pauses());
    }

    @Override
    public String baseline() {
        return BASELINE;
    }

    @Override
    public void addTo(ObjectNode report) {
        report.put("durability", plan.durability().word()).put("kills", plan.kills()).put("loadBefore", load.before()).put("loadAfter", load.after());
        ArrayNode all = report.putArray("pauses");
        for (Line line : lines) {
            ArrayNode samples = all.addObject()
                    .put("degree", line.degree())
                    .put("medianMs", line.median())
                    .put("timesOne", timesOne(line))
                    .putArray("samples");
            line.samples().forEach(sample -> samples.addObject()
                    .put("pauseMs", sample.pauseMs())
                    .put("knownMs", sample.knownMs())
                    .put("startedMs", sample.startedMs())
                    .put("behind", sample.behind()));
        }
    }

    /** The pauses in ascending order, with a line for each degree. */
    @Override
    public void writePlot(Path file) throws IOException {
        Chart chart = new Chart("kills, by their pause", "ms");
        for (Line line : lines) {
            double[] sorted = line.sorted();
            for (int i = 0; i < sorted.length; i++) {
                chart.add("", "pause", "r=" + line.degree(), i + 1, Integer.toString(i + 1), sorted[i]);
            }
        }
        chart.write("posthouse bench replicas --pause", "a killed leader, durability " + plan.durability().word() + "; " + load.words(), file);
    }
}
