package org.posthouse.bench.detectors;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.posthouse.bench.experiment.Chart;
import org.posthouse.bench.experiment.Report;
import org.posthouse.bench.experiment.Table;
import org.posthouse.detector.DetectorProtocol;

/** The measurements of {@code bench detectors}. The columns are those of {@code docs/bench.md}. Immutable. */
public final class DetectorReport implements Report {
    private static final String BASELINE = "the prediction of each protocol";

    private final DetectorPlan plan;
    private final List<DetectionFigure> figures;
    private final List<RingFailure> failures;

    DetectorReport(DetectorPlan plan, List<DetectionFigure> figures, List<RingFailure> failures) {
        this.plan = plan;
        this.figures = List.copyOf(figures);
        this.failures = List.copyOf(failures);
    }

    /** A line for each protocol and number of hosts, and one for each failure of a detector itself. */
    @Override
    public void print(PrintStream out) {
        out.printf(
                Locale.ROOT, "%d sites, %s ms between them, T = %d ms, %s of messages lost, pauses of %d ms, drift %s, %d trials; seconds of simulated time%n",
                plan.sites(), plan.delayMs(), plan.periodMs(), plan.loss(), plan.pauseMs(), plan.drift(), plan.trials());
        new Table<DetectionFigure>()
                .column("detector", -9, "%s", figure -> figure.protocol().word())
                .column("hosts", 6, "%d", DetectionFigure::hosts)
                .column("predicted", 10, "%.2f", DetectionFigure::predictedSeconds)
                .column("checks", 7, "%.2f", DetectionFigure::checkSeconds)
                .column("p50", 7, "%.2f", figure -> figure.detectionSeconds(0.5))
                .column("p99", 7, "%.2f", figure -> figure.detectionSeconds(0.99))
                .column("max", 7, "%.2f", figure -> figure.detectionSeconds(1))
                .column("within", 7, "%.3f", figure -> isBounded(figure) ? (Object) figure.withinShare() : Double.NaN)
                .column("noticed", 8, "%.2f", DetectionFigure::noticeSeconds)
                .column("missed", 7, "%d", DetectionFigure::missed)
                .column("false susp.", 11, "%d", DetectionFigure::falseSuspicions)
                .column("false verd.", 11, "%d", DetectionFigure::falseVerdicts)
                .column("msg/s", 7, "%.2f", DetectionFigure::messagesPerSecond)
                .column("B/s", 8, "%.0f", DetectionFigure::bytesPerSecond)
                .print(out, figures);
        if (!failures.isEmpty()) {
            out.printf(Locale.ROOT, "%nFailure of the detector itself: each host is dead with probability %.4f, %d trials%n", RingFailure.DEAD,
                    plan.failureTrials());
            new Table<RingFailure>()
                    .column("detector", -9, "%s", failure -> failure.protocol().word())
                    .column("hosts", 6, "%d", RingFailure::hosts)
                    .column("failures", 10, "%d", RingFailure::failures)
                    .column("probability", 12, "%.2e", RingFailure::probability)
                    .column("sigma", 10, "%.1e", failure -> failure.sigma(failure.probability()))
                    .print(out, failures);
        }
    }

    private static boolean isBounded(DetectionFigure figure) {
        return figure.protocol() != DetectorProtocol.SWIM;
    }

    @Override
    public String baseline() {
        return BASELINE;
    }

    @Override
    public void addTo(ObjectNode report) {
        report.put("sites", plan.sites())
                .put("periodMs", plan.periodMs())
                .put("delayMs", plan.delayMs())
                .put("loss", plan.loss())
                .put("pauseMs", plan.pauseMs())
                .put("drift", plan.drift())
                .put("trials", plan.trials())
                .put("seed", plan.seed());
        ArrayNode all = report.putArray("figures");
        for (DetectionFigure figure : figures) {
            ObjectNode node = all.addObject()
                    .put("detector", figure.protocol().word())
                    .put("hosts", figure.hosts())
                    .put("predictedSeconds", figure.predictedSeconds())
                    .put("checkSeconds", figure.checkSeconds())
                    .put("noticedSeconds", figure.noticeSeconds())
                    .put("missed", figure.missed())
                    .put("falseSuspicions", figure.falseSuspicions())
                    .put("falseVerdicts", figure.falseVerdicts())
                    .put("messagesPerHostSecond", figure.messagesPerSecond())
                    .put("bytesPerHostSecond", figure.bytesPerSecond());
            if (isBounded(figure)) {
                node.put("boundSeconds", figure.boundSeconds()).put("withinShare", figure.withinShare());
            }
            figure.detectionSeconds().forEach(node.putArray("detectionSeconds")::add);
        }
        ArrayNode own = report.putArray("ownFailures");
        for (RingFailure failure : failures) {
            own.addObject()
                    .put("detector", failure.protocol().word())
                    .put("hosts", failure.hosts())
                    .put("trials", failure.trials())
                    .put("failures", failure.failures())
                    .put("probability", failure.probability());
        }
    }

    /** Time until hosts notice over their number; and in a file that ends in {@code -failure} the detector's own failure. */
    @Override
    public void writePlot(Path file) throws IOException {
        Chart chart = new Chart("hosts", "kill to notice (s)");
        for (DetectionFigure figure : figures) {
            String hosts = Integer.toString(figure.hosts());
            chart.add("", "", figure.protocol().word(), figure.hosts(), hosts, figure.noticeSeconds());
            chart.add("", "", figure.protocol().word() + ", predicted", figure.hosts(), hosts, figure.predictedSeconds() + figure.checkSeconds());
        }
        chart.write("posthouse bench detectors", plan.sites() + " sites, " + plan.delayMs() + " ms between them, T = " + plan.periodMs()
                + " ms, mean over hosts and " + plan.trials() + " trials; predicted with checks", file);
        if (!failures.isEmpty()) {
            Chart own = new Chart("hosts", "probability");
            failures.forEach(failure -> own.add(
                    "", "", failure.protocol().word(), failure.hosts(), Integer.toString(failure.hosts()), failure.probability()));
            own.write("posthouse bench detectors: failure of the detector itself", plan.failureTrials() + " trials", Chart.beside(file, "-failure"));
        }
    }
}
