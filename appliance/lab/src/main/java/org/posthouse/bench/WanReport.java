package org.posthouse.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import org.posthouse.launch.JobFailure;
import org.posthouse.wan.WanProfile;

/** What {@code bench wan} measured. The columns and keys are those of {@code docs/bench.md}. Immutable. */
public final class WanReport implements Report {
    private static final String LINE = "%-20s %-20s %11s %9s %11s %9s%n";

    private final WanPlan plan;
    private final WanProfile profile;
    private final List<WanLink> links;
    private final List<JobReport> jobs;
    private final Map<Carrier, String> leftOut;
    private final Optional<JobFailure> failed;

    /**
     * @param profile as it was emulated
     * @param leftOut what is not installed, and what was said
     * @param failed what stopped it before it had measured all
     */
    WanReport(
            WanPlan plan, WanProfile profile, List<WanLink> links, List<JobReport> jobs, Map<Carrier, String> leftOut, Optional<JobFailure> failed) {
        this.plan = plan;
        this.profile = profile;
        this.links = List.copyOf(links);
        this.jobs = List.copyOf(jobs);
        this.leftOut = Map.copyOf(leftOut);
        this.failed = failed;
    }

    @Override
    public Optional<JobFailure> failed() {
        return failed;
    }

    @Override
    public void print(PrintStream out) {
        if (plan.isEmulated()) {
            if (plan.has(WanPart.LINKS)) {
                printLinks(out);
            }
            if (plan.has(WanPart.BESIDE)) {
                printBesides(out);
            }
        } else {
            WanLink link = links.getFirst();
            BenchPlan pair = plan.ofPair(link.shape());
            for (Benchmark test : pair.tests()) {
                new BenchTable(pair, test, link.figures().stream().filter(figure -> figure.test() == test).toList()).print(out);
            }
        }
        leftOut.forEach((carrier, why) -> out.println(carrier.label() + " is left out: " + why));
        for (JobReport job : jobs) {
            out.println();
            job.print(out);
        }
    }

    private void printLinks(PrintStream out) {
        out.printf(
                Locale.ROOT, "profile %s, a rank at each of two sites: half a round trip of %s bytes; messages of %s one way, %d under way%n",
                profile.name(), SizeList.text(plan.sizes().getFirst()), SizeList.text(plan.bytes()), plan.window());
        out.printf(LINE, "sites", "series", "latency ms", "+ way ms", "Mb/s", "of link");
        for (WanLink link : links) {
            out.printf(LINE, link.name(), "emulated", text("%.3f", link.askedLatencyMs()), "", text("%.2f", link.askedMegabits()), "");
            for (Series series : link.series()) {
                double latency = link.latencyMs(series);
                out.printf(
                        LINE, "", series.label(), text("%.3f", latency), text("%.3f", latency - link.askedLatencyMs()),
                        text("%.2f", link.megabits(series)), text("%.1f %%", 100 * link.ofLink(series)));
            }
        }
    }

    private void printBesides(PrintStream out) {
        out.printf(
                Locale.ROOT, "half a round trip of %s bytes on an idle link, and while messages of %s fill it one way; that way alone, and twice the"
                        + " idle one and a chunk%n",
                SizeList.text(plan.sizes().getFirst()), SizeList.text(plan.bytes()));
        out.printf(LINE, "sites", "series", "idle ms", "beside", "that way", "allowed");
        for (WanLink link : links) {
            for (WanBeside beside : link.besides()) {
                out.printf(
                        LINE, link.name(), beside.series().label(), text("%.3f", beside.idleMs()), text("%.3f", beside.besideMs()),
                        text("%.3f", beside.thereMs()), text("%.3f", beside.allowedMs()));
            }
        }
    }

    private static String text(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    @Override
    public void writeJson(String command, Path file) throws IOException {
        WanJson.write(plan, profile, links, jobs, leftOut, failed, command, file);
    }

    /**
     * Pictures: of an emulated network bandwidths in {@code file}, latencies in FILE-latency.svg, jobs in FILE-jobs.svg; else time against
     * size.
     */
    public void writePlot(Path file) throws IOException {
        if (plan.isEmulated()) {
            if (plan.has(WanPart.LINKS)) {
                drawLinks("bandwidth (Mb/s)", WanLink::askedMegabits, WanLink::megabits, file);
                drawLinks("half a round trip (ms)", WanLink::askedLatencyMs, WanLink::latencyMs, Chart.beside(file, "-latency"));
            }
            if (!jobs.isEmpty()) {
                drawJobs(Chart.beside(file, "-jobs"));
            }
        } else {
            WanLink link = links.getFirst();
            BenchReport.draw(plan.ofPair(link.shape()), link.figures(), file);
        }
    }

    /** The relay paper's figures 10 to 12. */
    private void drawLinks(String name, ToDoubleFunction<WanLink> asked, ToDoubleBiFunction<WanLink, Series> measured, Path file) throws IOException {
        Chart chart = new Chart("", name);
        for (WanLink link : links) {
            chart.add("", "", "emulated", 0, link.name(), asked.applyAsDouble(link));
            link.series().forEach(series -> chart.add("", "", series.label(), 0, link.name(), measured.applyAsDouble(link, series)));
        }
        write(chart, name, file);
    }

    private void drawJobs(Path file) throws IOException {
        Chart chart = new Chart("", "time of a job (s)");
        jobs.forEach(job -> job.medians().forEach((series, seconds) -> chart.add("", "", series, 0, job.name(), seconds)));
        write(chart, "time of a job (s)", file);
    }

    private void write(Chart chart, String name, Path file) throws IOException {
        chart.write("posthouse bench wan, profile " + profile.name() + ": " + name, "", file);
    }
}
