package org.posthouse.bench.logflow;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import org.posthouse.bench.experiment.Report;
import org.posthouse.bench.experiment.Table;
import org.posthouse.bench.statistics.Medians;

/** The measurements of {@code bench logflow}. The keys are those of {@code docs/bench.md}. */
public final class FlowReport implements Report {
    private static final String BASELINE = "none: what counts is the log's limit; seconds with few dirty pages beside those with many";
    private static final double MIB = 1 << 20;

    private final FlowPlan plan;
    private final DiskSamples disk;
    private final double seconds;
    private final List<FlowInterval> intervals;

    /** @param seconds from the moment when both ranks were connected to the job's end */
    FlowReport(FlowPlan plan, DiskSamples disk, double seconds, List<FlowInterval> intervals) {
        this.plan = plan;
        this.disk = disk;
        this.seconds = seconds;
        this.intervals = List.copyOf(intervals);
    }

    /** Whether the log never took more than its limit and one file. */
    public boolean isWithinLimit() {
        return plan.limitBytes() == 0 || disk.bytesMax() <= plan.limitBytes() + disk.fileBytesMax();
    }

    /** In one line, what {@link #isWithinLimit} goes by. */
    public String verdict() {
        if (plan.limitBytes() == 0) {
            return "every byte came; the log's limit was the relay's default, by the room on its disk, and is not looked at";
        }
        return String.format(
                Locale.ROOT, "every byte came; the log took %.1f MiB at most, %s its limit of %.1f MiB and one file of %.1f MiB",
                disk.bytesMax() / MIB, isWithinLimit() ? "within" : "MORE than", plan.limitBytes() / MIB, disk.fileBytesMax() / MIB);
    }

    @Override
    public void print(PrintStream out) {
        out.printf(
                Locale.ROOT, "logflow: %.1f MiB in messages of 64 KiB both ways between 2 ranks, checkpoints %s; %,d samples%n",
                plan.payloadBytes() / MIB, plan.checkpointMs() == 0 ? "when the log asks" : "every " + plan.checkpointMs() + " ms",
                disk.samples());
        new Table<DiskSamples>()
                .column("seconds", 10, "%.1f", samples -> seconds)
                .column("MB/s", 10, "%.1f", samples -> plan.payloadBytes() / seconds / 1e6)
                .column("log max MiB", 12, "%.1f", samples -> samples.bytesMax() / MIB)
                .column("limit MiB", 12, "%s", samples -> plan.limitBytes() == 0 ? "default" : String.format(Locale.ROOT, "%.1f", plan.limitBytes() / MIB))
                .column("file MiB", 10, "%.1f", samples -> samples.fileBytesMax() / MIB)
                .column("files", 7, "%d", DiskSamples::filesMax)
                .column("dirty MiB", 12, "%.1f", samples -> samples.dirtyBytesMax() / MIB)
                .column("slowed MiB", 12, "%.1f", samples -> samples.dirty().slowBytes() / MIB)
                .print(out, List.of(disk));
        for (boolean slowed : new boolean[] {false, true}) {
            List<FlowInterval> some = intervals.stream().filter(interval -> interval.isSlowed() == slowed).toList();
            if (!some.isEmpty()) {
                out.printf(
                        Locale.ROOT, "%s: %d seconds, median %.1f MB/s%n",
                        slowed ? "dirty pages from there on" : "dirty pages below \"slowed\"", some.size(), Medians.of(some, FlowInterval::megabytesPerSecond));
            }
        }
        out.println(verdict());
    }

    @Override
    public String baseline() {
        return BASELINE;
    }

    @Override
    public void addTo(ObjectNode report) {
        report.put("payloadBytes", plan.payloadBytes())
                .put("messageBytes", FlowPlan.MESSAGE_BYTES)
                .put("checkpointMs", plan.checkpointMs())
                .put("seconds", seconds)
                .put("megabytesPerSecond", plan.payloadBytes() / seconds / 1e6)
                .put("limitBytes", plan.limitBytes())
                .put("logBytesMax", disk.bytesMax())
                .put("fileBytesMax", disk.fileBytesMax())
                .put("filesMax", disk.filesMax())
                .put("samples", disk.samples())
                .put("withinLimit", isWithinLimit())
                .put("dirtyBytesMax", disk.dirtyBytesMax())
                .put("slowedFromDirtyBytes", disk.dirty().slowBytes());
        ArrayNode array = report.putArray("intervals");
        for (FlowInterval interval : intervals) {
            array.addObject()
                    .put("megabytesPerSecond", interval.megabytesPerSecond())
                    .put("logBytes", interval.logBytes())
                    .put("dirtyBytes", interval.dirty().bytes())
                    .put("slowed", interval.isSlowed());
        }
    }
}
