package org.posthouse.bench.replicas;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.launch.install.RelayGrid;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.Promotion;
import org.posthouse.launch.job.Restart;

/** Kills leaders of jobs of all degrees, one job after the other and degrees in turn. Confined to the driver's thread. */
final class PauseBench implements AutoCloseable {
    private static final int KILLED = 1;
    private static final double NS_PER_MS = 1e6;

    private final PausePlan plan;
    /** Of each degree its own. */
    private final Map<Integer, RelayGrid> relays = new LinkedHashMap<>();

    private final BenchWatch watch;
    private int done;

    private PauseBench(PausePlan plan, BenchWatch watch) {
        this.plan = plan;
        this.watch = watch;
    }

    static PauseReport measure(PausePlan plan, BenchWatch watch) throws IOException, JobFailure, InterruptedException {
        double loadBefore = MachineLoad.now();
        try (PauseBench bench = new PauseBench(plan, watch)) {
            Map<Integer, List<PauseSample>> samples = bench.measure();
            return new PauseReport(plan, samples, new MachineLoad(loadBefore, MachineLoad.now()));
        }
    }

    private Map<Integer, List<PauseSample>> measure() throws IOException, JobFailure, InterruptedException {
        Map<Integer, List<PauseSample>> samples = new LinkedHashMap<>();
        plan.degrees().forEach(degree -> samples.put(degree, new ArrayList<>()));
        for (int kill = 0; kill <= plan.kills(); kill++) {
            for (int degree : plan.degrees()) {
                watch.onPhase("kill " + kill + " r=" + degree, done++, plan.degrees().size() * (plan.kills() + 1));
                if (kill == 0) {
                    relays.put(degree, ReplicatedJob.startRelay(watch));
                }
                PauseSample sample = kill(degree);
                if (kill > 0) { // The relay's first job finds it cold.
                    samples.get(degree).add(sample);
                }
            }
        }
        return samples;
    }

    private PauseSample kill(int degree) throws IOException, JobFailure, InterruptedException {
        try (RoundTripCollector trips = RoundTripCollector.open();
                ReplicatedJob job = ReplicatedJob.start(
                        PauseRank.class, List.of(Integer.toString(trips.port())), degree, plan.durability(), relays.get(degree), watch, () -> {})) {
            trips.awaitAll(ReplicasPlan.RANKS * degree, job);
            long killNs = System.nanoTime();
            if (!job.strike(KILLED)) {
                throw new JobFailure("no process of rank " + KILLED + " ran when it was to be killed");
            }
            long pauseNs = trips.awaitPause(killNs, job);
            return sample(degree, killNs, pauseNs, job);
        }
    }

    private static PauseSample sample(int degree, long killNs, long pauseNs, ReplicatedJob job) throws JobFailure, InterruptedException {
        JobOutcome end = job.stop();
        if (degree > 1 && end.promotions().size() == 1 && end.restarts().isEmpty()) {
            Promotion promotion = end.promotions().getFirst();
            return new PauseSample(pauseNs / NS_PER_MS, (promotion.atNs() - killNs) / NS_PER_MS, 0, promotion.behind());
        }
        if (degree == 1 && end.restarts().size() == 1) {
            Restart restart = end.restarts().getFirst();
            return new PauseSample(pauseNs / NS_PER_MS, restart.detectedNs() / NS_PER_MS, restart.startedNs() / NS_PER_MS, restart.deliveries());
        }
        throw job.failure("after one kill the job with -r " + degree + " had " + end.promotions().size() + " promotions and " + end.restarts().size()
                + " restarts, expected one " + (degree > 1 ? "promotion" : "restart") + " alone", null);
    }

    @Override
    public void close() throws IOException {
        for (RelayGrid relay : relays.values()) {
            relay.close();
        }
    }
}
