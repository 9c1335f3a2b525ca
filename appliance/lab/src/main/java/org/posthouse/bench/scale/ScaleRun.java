package org.posthouse.bench.scale;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.experiment.SizeList;
import org.posthouse.bench.statistics.Cost;
import org.posthouse.bench.statistics.Medians;
import org.posthouse.bench.statistics.WarmUpPolicy;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.relay.host.EmbeddedGrid;

/**
 * {@code bench scale} from its first process to its last figure, cell by cell and size by size. There all series take
 * turns, so that drift of the machine meets all of them. Confined to one thread.
 */
public final class ScaleRun implements AutoCloseable {
    /** Round trips that a pair should do in a phase; where they take longer than the plan wants, the phase is longer. */
    private static final int ROUND_TRIPS_MIN = 10;

    private static final int PHASE_TIMES_MAX = 8;

    private final ScalePlan plan;
    private final BenchWatch watch;
    private final Vertx vertx = EmbeddedGrid.vertx();
    private final List<ScaleFigure> figures = new ArrayList<>();
    private ScaleHosts hosts;
    private int phasesDone;

    private ScaleRun(ScalePlan plan, BenchWatch watch) {
        this.plan = plan;
        this.watch = watch;
    }

    /**
     * Measures; blocks for the time of all phases, and some seconds a cell.
     *
     * @throws JobFailure if a rank receives wrong data, or a process or a relay fails; nothing is left running then
     */
    public static ScaleReport measure(ScalePlan plan, BenchWatch watch) throws IOException, JobFailure {
        try (ScaleRun run = new ScaleRun(plan, watch)) {
            run.hosts = ScaleHosts.start(plan);
            watch.onStart(run.hosts::kill);
            for (ScalePlan.Cell cell : plan.cells()) {
                run.measure(cell);
            }
            return new ScaleReport(plan, run.figures);
        }
    }

    private void measure(ScalePlan.Cell cell) throws IOException, JobFailure {
        try (ScaleField field = ScaleField.open(plan, cell, vertx, hosts)) {
            for (int bytes : plan.sizes()) {
                measure(field, cell, bytes);
            }
            field.leave();
        }
    }

    private void measure(ScaleField field, ScalePlan.Cell cell, int bytes) throws IOException, JobFailure {
        List<ScaleFigure> lines = new ArrayList<>();
        List<ScaleOrder> orders = new ArrayList<>();
        for (ScaleSeries series : plan.series()) {
            ScaleFigure line = new ScaleFigure(cell, series, bytes);
            lines.add(line);
            progress(line);
            field.perform(order(ScaleOrder.Work.CHECK, line, 0));
            orders.add(warmUp(field, line));
        }
        for (int repetition = 0; repetition < plan.repetitions(); repetition++) {
            for (int i = 0; i < lines.size(); i++) {
                progress(lines.get(i));
                Cost before = field.spent();
                List<HostedRank.Outcome> pairs = field.perform(orders.get(i));
                lines.get(i).add(pairs, field.spent().minus(before));
            }
        }
        figures.addAll(lines);
    }

    /** Repeats phases until the median pair is equally fast. @return the phase that is then measured */
    private ScaleOrder warmUp(ScaleField field, ScaleFigure line) throws JobFailure {
        WarmUpPolicy warmUpPolicy = WarmUpPolicy.OF_A_MACHINE;
        ScaleOrder phase = order(ScaleOrder.Work.MEASURE, line, plan.phaseMs());
        double last = 0;
        for (int done = 1; done <= warmUpPolicy.phasesMax(); done++) {
            double[] pairs = field.perform(phase).stream().mapToDouble(HostedRank.Outcome::perSecond).toArray();
            double perSecond = Medians.of(pairs);
            if (done >= warmUpPolicy.phasesMin() && warmUpPolicy.isStable(last, perSecond)) {
                break;
            }
            last = perSecond;
            phase = order(ScaleOrder.Work.MEASURE, line, phaseMs(perSecond));
        }
        return phase;
    }

    /** Duration of a phase in milliseconds when the median pair does so many round trips a second. */
    private int phaseMs(double perSecond) {
        double wanted = ROUND_TRIPS_MIN * 1e3 / perSecond;
        return (int) Math.clamp(wanted, plan.phaseMs(), (double) plan.phaseMs() * PHASE_TIMES_MAX);
    }

    private ScaleOrder order(ScaleOrder.Work work, ScaleFigure line, int phaseMs) {
        return new ScaleOrder(work, plan.series().indexOf(line.series()), line.bytes(), phaseMs);
    }

    private void progress(ScaleFigure line) {
        String what = line.cell() + ", " + SizeList.text(line.bytes()) + " " + line.series().label();
        watch.onPhase(what, phasesDone++, plan.phases());
    }

    @Override
    public void close() throws IOException {
        try {
            if (hosts != null) {
                hosts.close();
            }
        } finally {
            vertx.close().await();
        }
    }
}
