package org.posthouse.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.bench.rank.Phase;
import org.posthouse.bench.statistics.Cost;
import org.posthouse.bench.statistics.Statistics;
import org.posthouse.bench.statistics.WarmUpPolicy;
import org.posthouse.launch.job.JobFailure;

/** Phases of several series in turn, so that all of them meet the machine's drift. Confined to the driver's thread. */
public final class PhaseTurns {
    private final BenchPlan plan;
    private final Ranks ranks;
    private final WarmUpPolicy warmUpPolicy;
    private final Meter meter;
    private final Beginning beginning;

    private ProcessLayout layout = ProcessLayout.FREE;

    /** Cost spent so far on the subject of the measurement. */
    public interface Meter {
        Cost spent() throws IOException;
    }

    /** The ranks that do the work. */
    public interface Ranks {
        /** Has these ranks of a variant's job do a phase. @return the measurements of each of them */
        List<long[]> perform(Variant variant, Phase phase, int[] ranks) throws JobFailure, InterruptedException;

        /** Those of the jobs that were started. */
        static Ranks of(Map<Variant, BenchJob> jobs) {
            return (variant, phase, ranks) -> jobs.get(variant).perform(phase, ranks);
        }
    }

    /** Told of each figure whose phase begins. */
    public interface Beginning {
        void of(Figure line) throws IOException, InterruptedException;
    }

    /** @param meter read before and behind each phase @param beginning called before each phase */
    public PhaseTurns(BenchPlan plan, Ranks ranks, WarmUpPolicy warmUpPolicy, Meter meter, Beginning beginning) {
        this.plan = plan;
        this.ranks = ranks;
        this.warmUpPolicy = warmUpPolicy;
        this.meter = meter;
        this.beginning = beginning;
    }

    /** Measures the same test at the same size in each of the series. */
    public List<Figure> measure(Benchmark test, int bytes, List<Series> series) throws IOException, JobFailure, InterruptedException {
        List<Figure> lines = lines(test, bytes, series);
        repeat(lines, warmUp(lines), plan.repetitions());
        return lines;
    }

    /** So many repetitions of phases in turn. @param iterations of each phase */
    public void repeat(List<Figure> lines, int[] iterations, int repetitions) throws IOException, JobFailure, InterruptedException {
        for (int repetition = 0; repetition < repetitions; repetition++) {
            measure(lines, iterations, repetition);
        }
    }

    /** The lines to fill. */
    public List<Figure> lines(Benchmark test, int bytes, List<Series> series) {
        List<Figure> lines = new ArrayList<>();
        series.forEach(one -> lines.add(new Figure(test, one, bytes, plan.groups(test))));
        return lines;
    }

    /** Checks and warms up the series. @return the number of iterations that each of them then measures in a phase */
    public int[] warmUp(List<Figure> lines) throws IOException, JobFailure, InterruptedException {
        int[] iterations = new int[lines.size()];
        for (int i = 0; i < iterations.length; i++) {
            Figure line = lines.get(i);
            begin(line);
            Series series = line.series();
            perform(series, new Phase(Phase.Work.CHECK, line.test(), series.carrier(), line.bytes(), warmUpPolicy.checks()));
            iterations[i] = warmUp(line.test(), series, line.bytes());
        }
        return warmUpPolicy.measured(iterations);
    }

    /** Repeats phases until they take equally long. @return the number of iterations that fill a phase */
    private int warmUp(Benchmark test, Series series, int bytes) throws JobFailure, InterruptedException {
        int iterations = warmUpPolicy.iterationsMin();
        double last = 0;
        long beganNanos = System.nanoTime();
        for (int done = 1;; done++) {
            Phase phase = new Phase(Phase.Work.MEASURE, test, series.carrier(), bytes, iterations);
            Histogram times = times(phase, perform(series, phase));
            double median = Statistics.medianMicros(times);
            iterations = iterations(test, bytes, times.getMean() / 1e3);
            if (warmUpPolicy.isWarm(done, last, median, (System.nanoTime() - beganNanos) / (plan.phaseMs() * 1_000_000L))) {
                return iterations;
            }
            last = median;
        }
    }

    /** Number of iterations that fill a phase: a whole number of turns of the root through the ranks, if it moves. */
    private int iterations(Benchmark test, int bytes, double meanMicros) {
        double fitting = plan.phaseMs() * 1e3 / (meanMicros * plan.legs(test, bytes));
        int bounded = (int) Math.clamp(Math.round(fitting), warmUpPolicy.iterationsMin(), BenchPlan.ITERATIONS_MAX);
        int turn = test.movesRoot() ? plan.ranks() : 1;
        return (bounded + turn - 1) / turn * turn;
    }

    /**
     * One phase of each, every other repetition in the opposite order. A series that is measured behind another
     * is slower or quicker for it.
     *
     * @param iterations of each
     */
    public void measure(List<Figure> lines, int[] iterations, int repetition) throws IOException, JobFailure, InterruptedException {
        for (int turn = 0; turn < iterations.length; turn++) {
            int i = repetition % 2 == 0 ? turn : iterations.length - 1 - turn;
            measure(lines.get(i), iterations[i]);
        }
    }

    private void measure(Figure line, int iterations) throws IOException, JobFailure, InterruptedException {
        boolean moved = begin(line);
        Benchmark test = line.test();
        Phase phase = new Phase(Phase.Work.MEASURE, test, line.series().carrier(), line.bytes(), iterations);
        if (moved) {
            perform(line.series(), phase); // It would be up to a quarter quicker than those that follow.
        }
        Cost before = meter.spent();
        List<long[]> times = perform(line.series(), phase);
        Cost cost = meter.spent().minus(before);
        if (test.followsBarrier()) {
            Cost start = meter.spent();
            perform(line.series(), phase.with(Phase.Work.BARRIERS));
            cost = cost.minus(meter.spent().minus(start));
        }
        line.times().add(times(phase, times));
        line.addCost(cost.per((double) iterations * plan.legs(test, line.bytes()) * plan.groups(test)));
    }

    /** Has everything where the line wants it. @return whether it was elsewhere */
    private boolean begin(Figure line) throws IOException, InterruptedException {
        beginning.of(line);
        boolean moved = line.series().layout() != layout;
        layout = line.series().layout();
        return moved;
    }

    private Histogram times(Phase phase, List<long[]> times) {
        return Statistics.phase(times, !phase.test().isOfPairs(), plan.legs(phase.test(), phase.bytes()));
    }

    private List<long[]> perform(Series series, Phase phase) throws JobFailure, InterruptedException {
        return ranks.perform(series.variant(), phase, plan.ranksOf(phase.test()));
    }
}
