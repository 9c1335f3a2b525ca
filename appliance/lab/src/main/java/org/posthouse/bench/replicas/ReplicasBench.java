package org.posthouse.bench.replicas;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.experiment.SizeList;
import org.posthouse.launch.job.JobFailure;

/** Pairs of all degrees, whose phases take turns. Confined to the driver's thread. */
final class ReplicasBench {
    /** Round trips that say how many fill a phase; the first of a size are the slowest. */
    private static final int TRIAL = 50;

    private static final int ITERATIONS_MAX = 100_000;

    /** Round trips of each pair before any is measured: the virtual machine compiles what has run so often. */
    private static final int WARM_UP = 3_000;

    private final ReplicasPlan plan;
    private final List<ReplicatedPair> pairs;
    private final BenchWatch watch;
    private int done;

    private ReplicasBench(ReplicasPlan plan, List<ReplicatedPair> pairs, BenchWatch watch) {
        this.plan = plan;
        this.pairs = pairs;
        this.watch = watch;
    }

    static ReplicasReport measure(ReplicasPlan plan, BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        List<ReplicatedPair> pairs = new ArrayList<>();
        try {
            for (int degree : plan.degrees()) {
                pairs.add(ReplicatedPair.start(degree, plan.durability(), watch));
            }
            double loadBefore = MachineLoad.now();
            List<ReplicasFigure> figures = new ReplicasBench(plan, pairs, watch).measure();
            return new ReplicasReport(plan, figures, new MachineLoad(loadBefore, MachineLoad.now()));
        } finally {
            for (ReplicatedPair pair : pairs) {
                pair.close();
            }
        }
    }

    private List<ReplicasFigure> measure() throws IOException, JobFailure, InterruptedException {
        List<ReplicasFigure> figures = new ArrayList<>();
        for (ReplicatedPair pair : pairs) {
            watch.onPhase("warm-up r=" + pair.degree(), 0, plan.phases());
            pair.measure(plan.sizes().getFirst(), WARM_UP);
        }
        for (int bytes : plan.sizes()) {
            figures.addAll(measure(bytes));
        }
        for (ReplicatedPair pair : pairs) {
            pair.finish();
        }
        return figures;
    }

    private List<ReplicasFigure> measure(int bytes) throws IOException, JobFailure, InterruptedException {
        for (ReplicatedPair pair : pairs) {
            pair.check(bytes);
        }
        int iterations = iterations(pairs.getFirst(), bytes);
        List<ReplicasFigure> lines = pairs.stream().map(pair -> new ReplicasFigure(bytes, pair.degree())).toList();
        for (int repetition = -1; repetition < plan.repetitions(); repetition++) {
            for (int turn = 0; turn < pairs.size(); turn++) {
                int each = repetition % 2 == 0 ? turn : pairs.size() - 1 - turn;
                ReplicatedPair pair = pairs.get(each);
                watch.onPhase(SizeList.text(bytes) + " r=" + pair.degree(), done++, plan.phases());
                PhaseResult phase = pair.measure(bytes, iterations);
                if (repetition >= 0) { // The first one compiles.
                    lines.get(each).add(phase);
                }
            }
        }
        return lines;
    }

    private int iterations(ReplicatedPair pair, int bytes) throws IOException, JobFailure, InterruptedException {
        pair.measure(bytes, TRIAL);
        double micros = pair.measure(bytes, TRIAL).medianMicros();
        return Math.clamp((long) (plan.phaseMs() * 1e3 / micros), TRIAL, ITERATIONS_MAX);
    }
}
