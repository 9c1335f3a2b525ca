package org.posthouse.bench.wan;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import org.posthouse.bench.BenchPlan;
import org.posthouse.bench.BenchReport;
import org.posthouse.bench.BenchTable;
import org.posthouse.bench.FigureJson;
import org.posthouse.bench.Series;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.experiment.Chart;
import org.posthouse.bench.experiment.Report;
import org.posthouse.bench.experiment.SizeList;
import org.posthouse.bench.experiment.Table;
import org.posthouse.bench.job.JobReport;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wan.WanProfile;

/** The measurements of {@code bench wan}. The columns and keys are those of {@code docs/bench.md}. Immutable. */
public final class WanReport implements Report {
    private static final String BASELINE =
            "raw: one TCP connection between the two ranks over the same network; ssh, stunnel: plain bytes through ssh -L and through two "
                    + "stunnels over it, and timesTunnel is beside the better one of them; phases of all series alternate in one run";

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
        List<Line> lines = new ArrayList<>();
        for (WanLink link : links) {
            lines.add(new Line(link.name(), "emulated", text("%.3f", link.askedLatencyMs()), "", text("%.2f", link.askedMegabits()), ""));
            for (Series series : link.series()) {
                double latency = link.latencyMs(series);
                lines.add(new Line(
                        "", series.label(), text("%.3f", latency), text("%.3f", latency - link.askedLatencyMs()), text("%.2f", link.megabits(series)),
                        text("%.1f %%", 100 * link.ofLink(series))));
            }
        }
        table("latency ms", "+ way ms", "Mb/s", "of link").print(out, lines);
    }

    private void printBesides(PrintStream out) {
        out.printf(
                Locale.ROOT, "half a round trip of %s bytes on an idle link, and while messages of %s fill it one way; that way alone, and twice the"
                        + " idle one and a chunk%n",
                SizeList.text(plan.sizes().getFirst()), SizeList.text(plan.bytes()));
        List<Line> lines = new ArrayList<>();
        for (WanLink link : links) {
            for (WanBeside beside : link.besides()) {
                lines.add(new Line(
                        link.name(), beside.series().label(), text("%.3f", beside.idleMs()), text("%.3f", beside.besideMs()),
                        text("%.3f", beside.thereMs()), text("%.3f", beside.allowedMs())));
            }
        }
        table("idle ms", "beside", "that way", "allowed").print(out, lines);
    }

    /** A line of either table. */
    private record Line(String sites, String series, String first, String second, String third, String fourth) {}

    private static Table<Line> table(String first, String second, String third, String fourth) {
        return new Table<Line>()
                .column("sites", -20, "%s", Line::sites)
                .column("series", -20, "%s", Line::series)
                .column(first, 11, "%s", Line::first)
                .column(second, 9, "%s", Line::second)
                .column(third, 11, "%s", Line::third)
                .column(fourth, 9, "%s", Line::fourth);
    }

    private static String text(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    @Override
    public String baseline() {
        return BASELINE;
    }

    @Override
    public void addTo(ObjectNode report) {
        report.put("profile", profile.name())
                .put("repetitions", plan.repetitions())
                .put("phaseMs", plan.phaseMs())
                .put("streamBytes", plan.bytes())
                .put("window", plan.window())
                .put("compress", plan.compression().name().toLowerCase(Locale.ROOT));
        ObjectNode reasons = report.putObject("leftOut");
        leftOut.forEach((carrier, why) -> reasons.put(carrier.word(), why));
        ArrayNode array = report.putArray("links");
        links.forEach(link -> add(link, array.addObject()));
        ArrayNode whole = report.putArray("jobs");
        jobs.forEach(job -> job.addTo(whole.addObject()));
    }

    private void add(WanLink link, ObjectNode node) {
        node.putArray("sites").add(link.one()).add(link.other());
        if (plan.isEmulated()) {
            node.put("emulatedLatencyMs", link.askedLatencyMs()).put("emulatedMegabitsPerSecond", link.askedMegabits());
            ArrayNode series = node.putArray("series");
            for (Series one : link.series()) {
                ObjectNode line = series.addObject()
                        .put("carrier", one.carrier().word())
                        .put("latencyMs", link.latencyMs(one))
                        .put("megabitsPerSecond", link.megabits(one));
                if (one.carrier() == Carrier.RELAY) {
                    line.put("durability", one.variant().durability());
                }
                if (link.askedMegabits() > 0) {
                    line.put("ofLink", link.ofLink(one));
                }
            }
        }
        ArrayNode besides = node.putArray("beside");
        link.besides().forEach(beside -> besides.addObject()
                .put("durability", beside.series().variant().durability())
                .put("idleMs", beside.idleMs())
                .put("besideMs", beside.besideMs())
                .put("thatWayMs", beside.thereMs())
                .put("allowedMs", beside.allowedMs())
                .put("streamMegabitsPerSecond", beside.megabits()));
        FigureJson.add(link.figures(), node.putArray("figures"));
    }

    /**
     * Pictures: of an emulated network bandwidths in {@code file}, latencies in FILE-latency.svg, jobs in FILE-jobs.svg; else time against
     * size.
     */
    @Override
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
