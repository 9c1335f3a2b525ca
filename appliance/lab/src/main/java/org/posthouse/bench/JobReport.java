package org.posthouse.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What {@code bench job} measured. The columns are those of {@code docs/bench.md}. Immutable. */
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
        out.printf(Locale.ROOT, "%-10s %12s %12s %12s %12s %10s%n", "series", "told", "Init to end", "least", "most", "x first");
        for (JobTimes times : series) {
            out.printf(
                    Locale.ROOT, "%-10s %12s %12.3f %12.3f %12.3f %10.3f%n", JobPlan.word(times.logged()),
                    times.told().isEmpty() ? "-" : String.format(Locale.ROOT, "%.3f", Medians.of(times.told())),
                    Medians.of(times.communicating()), Collections.min(compared(times)), Collections.max(compared(times)),
                    timesFirst(times));
        }
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
    public void writeJson(String command, Path file) throws IOException {
        BenchJson.write(file, command, BASELINE, this::addTo);
    }

    /** What was measured of which job. */
    void addTo(ObjectNode report) {
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
    String name() {
        return plan.job().name() + (plan.job().arguments().isEmpty() ? "" : " " + String.join(" ", plan.job().arguments()));
    }

    /** Each series' median, by what it is called, in seconds. */
    Map<String, Double> medians() {
        Map<String, Double> medians = new LinkedHashMap<>();
        series.forEach(times -> medians.put(JobPlan.word(times.logged()), Medians.of(compared(times))));
        return medians;
    }

    private static void add(ArrayNode to, List<Double> seconds) {
        seconds.forEach(to::add);
    }
}
