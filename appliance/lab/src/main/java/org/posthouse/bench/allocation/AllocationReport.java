package org.posthouse.bench.allocation;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.posthouse.bench.experiment.Chart;
import org.posthouse.bench.experiment.Report;
import org.posthouse.bench.experiment.Table;
import org.posthouse.bench.statistics.Medians;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSpec;
import org.posthouse.launch.place.AllocationRequest.Strategy;

/** The measurements of {@code bench allocation}. The columns are those of {@code docs/bench.md}. Immutable. */
public final class AllocationReport implements Report {
    private static final String BASELINE = "concentrate; runs of both strategies alternate over the same nodes";

    private final AllocationPlan plan;
    private final List<AllocationFigure> figures;
    private final Optional<JobFailure> failure;

    AllocationReport(AllocationPlan plan, List<AllocationFigure> figures, Optional<JobFailure> failure) {
        this.plan = plan;
        this.figures = List.copyOf(figures);
        this.failure = failure;
    }

    /** The strategy as the command line has it. */
    static String word(Strategy strategy) {
        return strategy.name().toLowerCase(Locale.ROOT);
    }

    /** A line for each job, number of ranks and strategy. */
    @Override
    public void print(PrintStream out) {
        out.printf(
                Locale.ROOT, "2 sites of %d nodes with %d slots each, %.3f ms of round trip between them, %d repetitions; seconds%n", plan.nodes(),
                plan.slots(), plan.roundTripMs(), plan.repetitions());
        new Table<AllocationFigure>()
                .column("job", -12, "%s", figure -> name(figure.job()))
                .column("ranks", 6, "%d", figure -> figure.job().ranks())
                .column("strategy", -12, "%s", figure -> word(figure.strategy()))
                .column("hosts", 6, "%d", AllocationFigure::hosts)
                .column("sites", 6, "%d", AllocationFigure::sites)
                .column("median", 10, "%.3f", AllocationFigure::median)
                .column("least", 10, "%.3f", figure -> Collections.min(figure.seconds()))
                .column("most", 10, "%.3f", figure -> Collections.max(figure.seconds()))
                .column("x concentrate", 14, "%.3f", this::timesConcentrate)
                .print(out, figures);
    }

    private static String name(JobSpec job) {
        return job.name() + (job.arguments().isEmpty() ? "" : " " + String.join(" ", job.arguments()));
    }

    /** The median of the ratios of runs that followed each other. */
    private double timesConcentrate(AllocationFigure figure) {
        AllocationFigure baseline = figures.stream()
                .filter(other -> other.job().equals(figure.job()) && other.strategy() == Strategy.CONCENTRATE)
                .findFirst().orElseThrow();
        return Medians.ratio(figure.seconds(), baseline.seconds());
    }

    @Override
    public String baseline() {
        return BASELINE;
    }

    @Override
    public Optional<JobFailure> failed() {
        return failure;
    }

    @Override
    public void addTo(ObjectNode report) {
        report.put("nodesPerSite", plan.nodes())
                .put("slotsPerNode", plan.slots())
                .put("roundTripMs", plan.roundTripMs())
                .put("repetitions", plan.repetitions());
        ArrayNode all = report.putArray("figures");
        for (AllocationFigure figure : figures) {
            ArrayNode seconds = all.addObject()
                    .put("job", name(figure.job()))
                    .put("ranks", figure.job().ranks())
                    .put("strategy", word(figure.strategy()))
                    .put("hosts", figure.hosts())
                    .put("sites", figure.sites())
                    .put("medianSeconds", figure.median())
                    .put("timesConcentrate", timesConcentrate(figure))
                    .putArray("seconds");
            figure.seconds().forEach(seconds::add);
        }
    }

    /** A panel for each job: time over ranks. */
    @Override
    public void writePlot(Path file) throws IOException {
        Chart chart = new Chart("ranks", "time (s)");
        figures.forEach(figure -> chart.add(
                "", name(figure.job()), word(figure.strategy()), figure.job().ranks(), Integer.toString(figure.job().ranks()), figure.median()));
        chart.write("posthouse bench allocation", "2 sites, " + plan.nodes() + " nodes each, " + plan.slots() + " slots a node, "
                + plan.roundTripMs() + " ms of round trip", file);
    }
}
