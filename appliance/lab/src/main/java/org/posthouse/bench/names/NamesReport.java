package org.posthouse.bench.names;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.posthouse.bench.experiment.Chart;
import org.posthouse.bench.experiment.Report;
import org.posthouse.bench.experiment.Table;
import org.posthouse.bench.names.NamesFigure.Growth;
import org.posthouse.bench.names.NamesFigure.Operation;
import org.posthouse.bench.statistics.LinearFit;
import org.posthouse.bench.statistics.Medians;

/** The measurements of {@code bench names}. The columns are those of {@code docs/bench.md}. Immutable. */
public final class NamesReport implements Report {
    private static final String BASELINE = "the same inserts under a lock, in turns with those without";
    private static final double DETERMINATION_MIN = 0.98;
    private static final double TIMES_LOCKED_MAX = 0.65;

    private final NamesPlan plan;
    private final List<NamesFigure> figures;
    private final Map<NamesBackEnd, String> labels;
    private final Map<NamesBackEnd, List<Double>> elections;

    /** One experiment at one back end. */
    private record Line(NamesBackEnd backEnd, Growth growth) {}

    NamesReport(NamesPlan plan, List<NamesFigure> figures, Map<NamesBackEnd, String> labels, Map<NamesBackEnd, List<Double>> elections) {
        this.plan = plan;
        this.figures = List.copyOf(figures);
        this.labels = Map.copyOf(labels);
        this.elections = Map.copyOf(elections);
    }

    private List<NamesFigure> points(Line line) {
        return figures.stream().filter(each -> each.backEnd() == line.backEnd && each.growth() == line.growth).toList();
    }

    private List<Line> lines() {
        return figures.stream().map(each -> new Line(each.backEnd(), each.growth())).distinct().toList();
    }

    private LinearFit fit(Line line, Operation operation) {
        List<NamesFigure> points = points(line);
        return LinearFit.of(points.stream().mapToDouble(NamesFigure::at).toArray(), points.stream().mapToDouble(each -> each.least(operation)).toArray());
    }

    private double timesLocked(Line line) {
        return Medians.of(points(line), NamesFigure::timesLocked);
    }

    private boolean isAsExpected(Line line) {
        boolean isLinear = Arrays.stream(Operation.values()).allMatch(each -> fit(line, each).determination() >= DETERMINATION_MIN);
        return isLinear && timesLocked(line) <= TIMES_LOCKED_MAX;
    }

    /** A line for each point, one for each experiment at each back end, and the elections. */
    @Override
    public void print(PrintStream out) {
        out.printf(
                Locale.ROOT, "%.1f ms of round trip and %s between front ends and back end, %d repetitions; seconds%n", plan.roundTripMs(),
                plan.kilobitsPerSecond() == 0 ? "no limit" : plan.kilobitsPerSecond() + " kbit/s", plan.repetitions());
        new Table<NamesFigure>()
                .column("back end", -10, "%s", figure -> figure.backEnd().word())
                .column("growing", -8, "%s", figure -> figure.growth().word())
                .column("bytes", 6, "%d", NamesFigure::payload)
                .column("entries", 8, "%d", NamesFigure::entries)
                .column("insert", 10, "%.4f", figure -> figure.median(Operation.INSERT))
                .column("with locks", 11, "%.4f", figure -> figure.median(Operation.LOCKED_INSERT))
                .column("read", 10, "%.4f", figure -> figure.median(Operation.READ))
                .column("x locked", 9, "%.3f", NamesFigure::timesLocked)
                .print(out, figures);
        out.printf(Locale.ROOT, "%nLines through the shortest times; expected R2 of %.2f or more, x locked of %.2f or less%n", DETERMINATION_MIN,
                TIMES_LOCKED_MAX);
        printLines(out);
        printElections(out);
    }

    private void printLines(PrintStream out) {
        Table<Line> table = new Table<Line>()
                .column("back end", -10, "%s", line -> line.backEnd.word())
                .column("growing", -8, "%s", line -> line.growth.word());
        for (Operation operation : Operation.values()) {
            table.column(operation.word() + ": R2", 14, "%.4f", line -> fit(line, operation).determination())
                    .column("ms each", 8, "%.3f", line -> fit(line, operation).slope() * 1e3);
        }
        table.column("x locked", 9, "%.3f", this::timesLocked)
                .column("as expected", 12, "%s", line -> isAsExpected(line) ? "yes" : "no")
                .column("what runs", -9, "  %s", line -> labels.get(line.backEnd))
                .print(out, lines());
    }

    private void printElections(PrintStream out) {
        if (plan.elections() > 0) {
            out.printf(
                    Locale.ROOT,
                    "%nElections: %d at each back end, by %d front ends with %d contenders each; one winner each, and one bind of each front end%n",
                    plan.elections(), NamesGroup.FRONT_ENDS, Elections.CONTENDERS);
            new Table<NamesBackEnd>()
                    .column("back end", -10, "%s", NamesBackEnd::word)
                    .column("median", 10, "%.4f", backEnd -> Medians.of(elections.get(backEnd)))
                    .column("least", 10, "%.4f", backEnd -> Collections.min(elections.get(backEnd)))
                    .column("most", 10, "%.4f", backEnd -> Collections.max(elections.get(backEnd)))
                    .print(out, plan.backEnds());
        }
    }

    @Override
    public String baseline() {
        return BASELINE;
    }

    @Override
    public void addTo(ObjectNode report) {
        report.put("roundTripMs", plan.roundTripMs()).put("kilobitsPerSecond", plan.kilobitsPerSecond()).put("repetitions", plan.repetitions());
        ArrayNode points = report.putArray("figures");
        for (NamesFigure figure : figures) {
            ObjectNode node = points.addObject()
                    .put("backEnd", figure.backEnd().word())
                    .put("growing", figure.growth().word())
                    .put("bytes", figure.payload())
                    .put("entries", figure.entries())
                    .put("timesLocked", figure.timesLocked());
            for (Operation operation : Operation.values()) {
                figure.seconds(operation).forEach(node.putArray(operation.key())::add);
            }
        }
        ArrayNode fits = report.putArray("lines");
        for (Line line : lines()) {
            ObjectNode node = fits.addObject()
                    .put("backEnd", line.backEnd.word())
                    .put("runs", labels.get(line.backEnd))
                    .put("growing", line.growth.word())
                    .put("timesLocked", timesLocked(line))
                    .put("asExpected", isAsExpected(line));
            for (Operation operation : Operation.values()) {
                LinearFit fit = fit(line, operation);
                node.putObject(operation.key())
                        .put("determination", fit.determination())
                        .put("intercept", fit.intercept())
                        .put("slope", fit.slope())
                        .put("deviation", fit.deviation());
            }
        }
        ObjectNode seconds = report.putObject("electionSeconds");
        plan.backEnds().forEach(each -> elections.get(each).forEach(seconds.putArray(each.word())::add));
    }

    /** Time over entries of a batch; and beside it, in a file that ends in {@code -payload}, time over payload. */
    @Override
    public void writePlot(Path file) throws IOException {
        for (Growth growth : Growth.values()) {
            Chart chart = new Chart(growth.unit(), "time (s)");
            for (NamesFigure figure : figures) {
                for (Operation operation : Operation.values()) {
                    if (figure.growth() == growth) {
                        chart.add("", operation.word(), figure.backEnd().word(), figure.at(), Integer.toString(figure.at()), figure.median(operation));
                    }
                }
            }
            chart.write("posthouse bench names", plan.roundTripMs() + " ms of round trip, " + Chart.subtitle(plan.repetitions()),
                    growth == Growth.BATCH ? file : Chart.beside(file, "-payload"));
        }
    }
}
