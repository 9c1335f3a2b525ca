package org.posthouse.bench.job;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.posthouse.bench.experiment.Report;
import org.posthouse.bench.experiment.Table;
import org.posthouse.bench.statistics.Medians;

/** The measurements of {@code bench job}. The columns are those of {@code docs/bench.md}. Immutable. */
public final class JobReport implements Report {
    private static final String BASELINE = "the first series; runs of all series alternate over the same relays";

    private final JobPlan plan;
    private final List<JobTimes> series;

    JobReport(JobPlan plan, List<JobTimes> series) {
        this.plan = plan;
        this.series = List.copyOf(series);
    }

    /** A line for each series. */
    @Override
    public void print(PrintStream out) {
        out.printf(
                Locale.ROOT, "job %s %s, %d ranks, %s, %s, %d repetitions; seconds%n", plan.job().name(),
                String.join(" ", plan.job().arguments()), plan.job().ranks(), plan.sites() == 1 ? "one site" : plan.sites() + " sites",
                plan.mode().mode().word(), plan.repetitions());
        new Table<JobTimes>()
                .column("series", -10, "%s", times -> JobPlan.word(times.logged()))
                .column("told", 12, "%s", times -> times.told().isEmpty() ? "-" : String.format(Locale.ROOT, "%.3f", Medians.of(times.told())))
                .column("Init to end", 12, "%.3f", times -> Medians.of(times.communicating()))
                .column("least", 12, "%.3f", times -> Collections.min(compared(times)))
                .column("most", 12, "%.3f", times -> Collections.max(compared(times)))
                .column("x first", 10, "%.3f", this::timesFirst)
                .print(out, series);
    }

    /** The median of the ratios of runs that followed each other. */
    private double timesFirst(JobTimes times) {
        return Medians.ratio(compared(times), compared(series.getFirst()));
    }

    /** The program's own word if it has one in all series. */
    private List<Double> compared(JobTimes times) {
        return series.stream().allMatch(JobTimes::isTold) ? times.told() : times.communicating();
    }

    @Override
    public String baseline() {
        return BASELINE;
    }

    /** Adds the job and its measurements. */
    @Override
    public void addTo(ObjectNode report) {
        report.put("job", plan.job().name())
                .put("arguments", String.join(" ", plan.job().arguments()))
                .put("ranks", plan.job().ranks())
                .put("sites", plan.sites())
                .put("mode", plan.mode().mode().word())
                .put("repetitions", plan.repetitions());
        ArrayNode figures = report.putArray("figures");
        for (JobTimes times : series) {
            ObjectNode node = figures.addObject()
                    .put("durability", JobPlan.word(times.logged()))
                    .put("medianSeconds", Medians.of(compared(times)))
                    .put("timesFirst", timesFirst(times));
            add(node.putArray("toldSeconds"), times.told());
            add(node.putArray("initToEndSeconds"), times.communicating());
        }
    }

    /** The job, as it is called. */
    public String name() {
        return plan.job().name() + (plan.job().arguments().isEmpty() ? "" : " " + String.join(" ", plan.job().arguments()));
    }

    /** Each series' median, by what it is called, in seconds. */
    public Map<String, Double> medians() {
        Map<String, Double> medians = new LinkedHashMap<>();
        series.forEach(times -> medians.put(JobPlan.word(times.logged()), Medians.of(compared(times))));
        return medians;
    }

    private static void add(ArrayNode to, List<Double> seconds) {
        seconds.forEach(to::add);
    }
}
