package org.posthouse.bench.wan;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.posthouse.bench.BenchJob;
import org.posthouse.bench.BenchPlan;
import org.posthouse.bench.Figure;
import org.posthouse.bench.PhaseTurns;
import org.posthouse.bench.Series;
import org.posthouse.bench.Variant;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.bench.rank.Phase;
import org.posthouse.bench.statistics.Cost;
import org.posthouse.bench.statistics.WarmUpPolicy;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.wan.WanShape;
import org.posthouse.wire.Wire;

/**
 * Short messages over a link that is idle, and over the same link while a stream of other ranks fills it one way. Immutable.
 *
 * @param series whether they are logged
 * @param shape the network between the sites
 * @param idle round trips when there is nothing else
 * @param beside round trips while the stream is under way
 * @param megabits what the stream carried meanwhile
 */
record WanBeside(Series series, WanShape shape, Figure idle, Figure beside, double megabits) {
    private static final int[] BOTH = {0, 1};

    /** Measures both. @param relays the home of each of the two ranks */
    static WanBeside measure(WanPlan plan, WanShape shape, Variant variant, List<String> relays, BenchWatch watch)
            throws IOException, JobFailure, InterruptedException {
        BenchPlan pair = plan.ofPair(shape);
        BenchPlan streaming = plan.ofStreamBeside(shape);
        Series series = new Series(Carrier.RELAY, variant);
        try (BenchJob small = BenchJob.start(pair, variant, relays, Map.of(), watch);
                BenchJob large = BenchJob.start(streaming, variant, relays, Map.of(), watch);
                var thread = Executors.newVirtualThreadPerTaskExecutor()) {
            PhaseTurns turns =
                    new PhaseTurns(pair, PhaseTurns.Ranks.of(Map.of(variant, small)), WarmUpPolicy.OF_A_NETWORK, () -> Cost.of(List.of()), figure -> {});
            List<Figure> idle = turns.lines(Benchmark.PINGPONG, plan.sizes().getFirst(), List.of(series));
            int[] iterations = turns.warmUp(idle);
            turns.repeat(idle, iterations, plan.repetitions());
            Phase stream = new Phase(Phase.Work.MEASURE, Benchmark.STREAM, Carrier.RELAY, plan.bytes(), 1);
            Future<List<long[]>> filling = thread.submit(() -> large.perform(stream, BOTH));
            turns.repeat(turns.lines(Benchmark.PINGPONG, plan.sizes().getFirst(), List.of(series)), iterations, 1);
            List<Figure> beside = turns.lines(Benchmark.PINGPONG, plan.sizes().getFirst(), List.of(series));
            turns.repeat(beside, iterations, plan.repetitions());
            double seconds = lasting(filling).getFirst()[0] / 1e9;
            small.finish();
            large.finish();
            double bytes = (double) plan.bytes() * plan.window() * streaming.rounds();
            return new WanBeside(series, shape, idle.getFirst(), beside.getFirst(), bytes * 8 / 1e6 / seconds);
        }
    }

    /**
     * Measurements of a stream that is still under way.
     *
     * @throws JobFailure if its job has failed, or it was too short
     */
    static List<long[]> lasting(Future<List<long[]>> filling) throws JobFailure, InterruptedException {
        boolean tooShort = filling.isDone();
        List<long[]> times = await(filling);
        if (tooShort) {
            throw new JobFailure("the stream ended before the round trips beside it did: they took more than five times as long as idle ones");
        }
        return times;
    }

    private static List<long[]> await(Future<List<long[]>> filling) throws JobFailure, InterruptedException {
        try {
            return filling.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof JobFailure failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    /** Half a round trip when there is nothing else. */
    double idleMs() {
        return idle.times().medianMicros() / 1e3;
    }

    /** Half a round trip beside the stream. */
    double besideMs() {
        return beside.times().medianMicros() / 1e3;
    }

    /** The stream's way alone: the way back is idle. */
    double thereMs() {
        return 2 * besideMs() - idleMs();
    }

    /** Twice the idle way, and one chunk. */
    double allowedMs() {
        return 2 * idleMs() + Wire.PAYLOAD_BYTES_MAX * 1e3 / shape.bytesPerSecond();
    }
}
