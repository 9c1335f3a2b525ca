package org.posthouse.bench;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.posthouse.bench.experiment.Chart;
import org.posthouse.bench.experiment.Report;
import org.posthouse.bench.experiment.SizeList;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.launch.job.JobFailure;

/** The measurements of a bench, for people, programs and eyes. Immutable. */
public final class BenchReport implements Report {
    private static final String BASELINE =
            "raw: one TCP hop between the two ranks, direct buffers; vertx, selector: bare forwarders, two hops, and "
                    + "timesForwarder is beside the better one of them; phases of all series alternate in one run";

    private final BenchPlan plan;
    private final List<Figure> figures;
    private final Optional<JobFailure> failed;

    /** @param failed what stopped it before it had all figures */
    BenchReport(BenchPlan plan, List<Figure> figures, Optional<JobFailure> failed) {
        this.plan = plan;
        this.figures = List.copyOf(figures);
        this.failed = failed;
    }

    @Override
    public Optional<JobFailure> failed() {
        return failed;
    }

    /** A table for each test that was measured. */
    @Override
    public void print(PrintStream out) {
        for (Benchmark test : plan.tests()) {
            if (!of(test).isEmpty()) {
                new BenchTable(plan, test, of(test)).print(out);
                new DeliveryTable(of(test)).print(out);
            }
        }
    }

    @Override
    public String baseline() {
        return BASELINE;
    }

    @Override
    public void addTo(ObjectNode report) {
        report.put("ranks", plan.ranks())
                .put("pairs", plan.pairs())
                .put("sites", plan.sites())
                .put("relaysPerSite", plan.relaysPerSite())
                .put("repetitions", plan.repetitions())
                .put("phaseMs", plan.phaseMs())
                .put("window", plan.window());
        FigureJson.add(figures, report.putArray("figures"));
    }

    /** Time against size, both logarithmic, one line a series; what has no size is left out. */
    @Override
    public void writePlot(Path file) throws IOException {
        draw(plan, figures, file);
    }

    /** Draws time against size, a chart for each test, in {@code file}. */
    public static void draw(BenchPlan plan, List<Figure> figures, Path file) throws IOException {
        List<Figure> sized = figures.stream().filter(figure -> figure.test().isSized()).toList();
        if (sized.isEmpty()) {
            throw new IOException("there is nothing to plot against: none of the tests has bytes");
        }
        List<Benchmark> tests = sized.stream().map(Figure::test).distinct().toList();
        Chart chart = new Chart("message size (bytes)", "median time (µs)");
        for (Figure figure : sized) {
            String series = (tests.size() > 1 ? figure.test() + " " : "") + figure.series().label();
            chart.add("", "", series, figure.bytes(), SizeList.text(figure.bytes()), figure.times().medianMicros());
        }
        String title = "posthouse bench" + (tests.size() == 1 ? " " + tests.getFirst() : "") + ": " + plan.ranks() + " ranks, " + plan.where();
        chart.write(title, Chart.subtitle(plan.repetitions()), file);
    }

    private List<Figure> of(Benchmark test) {
        return figures.stream().filter(figure -> figure.test() == test).toList();
    }
}
