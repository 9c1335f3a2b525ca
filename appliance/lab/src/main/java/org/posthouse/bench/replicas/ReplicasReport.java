package org.posthouse.bench.replicas;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.posthouse.bench.experiment.Chart;
import org.posthouse.bench.experiment.Report;
import org.posthouse.bench.experiment.SizeList;
import org.posthouse.bench.experiment.Table;
import org.posthouse.bench.statistics.Medians;

/** The measurements of {@code bench replicas}. The columns are those of {@code docs/bench.md}. Immutable. */
public final class ReplicasReport implements Report {
    private static final String BASELINE = "r=1, a job with one process of each rank and the same log; phases of all degrees take turns";

    private final ReplicasPlan plan;
    private final List<ReplicasFigure> figures;
    private final MachineLoad load;

    ReplicasReport(ReplicasPlan plan, List<ReplicasFigure> figures, MachineLoad load) {
        this.plan = plan;
        this.figures = List.copyOf(figures);
        this.load = load;
    }

    @Override
    public void print(PrintStream out) {
        out.printf(
                Locale.ROOT, "ping-pong of 2 ranks with r processes each, durability %s, %d repetitions; %s; times of a round trip in us%n",
                plan.durability().word(), plan.repetitions(), load.words());
        new Table<ReplicasFigure>()
                .column("bytes", 8, "%s", figure -> SizeList.text(figure.bytes()))
                .column("r", 3, "%d", ReplicasFigure::degree)
                .column("trips", 8, "%d", ReplicasFigure::roundTrips)
                .column("t median", 10, "%.1f", ReplicasFigure::medianMicros)
                .column("x r=1", 7, "%.3f", this::timesOne)
                .column("CPU", 9, "%.1f", figure -> figure.cpu().all())
                .column("x r=1", 7, "%.3f", this::cpuTimesOne)
                .column("relay", 9, "%.1f", figure -> figure.cpu().relay())
                .column("leaders", 9, "%.1f", figure -> figure.cpu().leaders())
                .column("followers", 10, "%.1f", figure -> figure.cpu().followers())
                .print(out, figures);
    }

    private ReplicasFigure one(ReplicasFigure figure) {
        return figures.stream().filter(other -> other.bytes() == figure.bytes() && other.degree() == 1).findFirst().orElseThrow();
    }

    /** The median of the ratios of phases of one turn. */
    private double timesOne(ReplicasFigure figure) {
        return Medians.ratio(figure.medians(), one(figure).medians());
    }

    private double cpuTimesOne(ReplicasFigure figure) {
        return figure.cpu().all() / one(figure).cpu().all();
    }

    @Override
    public String baseline() {
        return BASELINE;
    }

    @Override
    public void addTo(ObjectNode report) {
        report.put("durability", plan.durability().word())
                .put("repetitions", plan.repetitions())
                .put("phaseMs", plan.phaseMs())
                .put("loadBefore", load.before())
                .put("loadAfter", load.after());
        ArrayNode all = report.putArray("figures");
        for (ReplicasFigure figure : figures) {
            ObjectNode line = all.addObject()
                    .put("bytes", figure.bytes())
                    .put("degree", figure.degree())
                    .put("roundTrips", figure.roundTrips())
                    .put("medianMicros", figure.medianMicros())
                    .put("timesOne", timesOne(figure))
                    .put("cpuMicros", figure.cpu().all())
                    .put("cpuTimesOne", cpuTimesOne(figure))
                    .put("cpuMicrosRelay", figure.cpu().relay())
                    .put("cpuMicrosLeaders", figure.cpu().leaders())
                    .put("cpuMicrosFollowers", figure.cpu().followers());
            ArrayNode medians = line.putArray("medianMicrosOfRepetitions");
            figure.medians().forEach(medians::add);
        }
    }

    /** Time and processor time of a round trip over the size, with a line for each degree. */
    @Override
    public void writePlot(Path file) throws IOException {
        Chart chart = new Chart("bytes", "us a round trip");
        for (ReplicasFigure figure : figures) {
            String series = "r=" + figure.degree();
            chart.add("", "time", series, figure.bytes(), SizeList.text(figure.bytes()), figure.medianMicros());
            chart.add("", "processor time", series, figure.bytes(), SizeList.text(figure.bytes()), figure.cpu().all());
        }
        chart.write("posthouse bench replicas",
                "ping-pong, durability " + plan.durability().word() + "; " + Chart.subtitle(plan.repetitions()) + "; " + load.words(), file);
    }
}
