package org.posthouse.bench.detectors;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.bench.experiment.Experiment;
import org.posthouse.bench.experiment.RangeCheck;
import org.posthouse.detector.DetectorProtocol;
import org.posthouse.wire.DetectorMessage;

/**
 * The plan of {@code bench detectors}.
 *
 * @param protocols that are compared
 * @param hosts numbers of hosts, in order
 * @param sites among which the hosts are divided
 * @param periodMs length of a round
 * @param delayMs one way between two sites
 * @param loss share of messages that are lost
 * @param pauseMs for which a host stands still, each 100 s in the mean; 0: never
 * @param drift most by which clocks run too fast or too slow
 * @param trials kills of one host, for each protocol and number
 * @param failureTrials draws of dead hosts for the failure of the detector itself; 0: none
 * @param seed of all that is drawn
 */
public record DetectorPlan(
        List<DetectorProtocol> protocols,
        List<Integer> hosts,
        int sites,
        int periodMs,
        double delayMs,
        double loss,
        int pauseMs,
        double drift,
        int trials,
        int failureTrials,
        long seed) implements Experiment<DetectorReport> {
    /** When a host is killed, as in the chapter. */
    static final long KILL_NANOS = TimeUnit.SECONDS.toNanos(20);

    /** Mean time between two pauses of a host. */
    private static final long PAUSE_EVERY_NANOS = TimeUnit.SECONDS.toNanos(100);

    /** Numbers of hosts of figure 12, and its protocols. */
    private static final List<Integer> FAILURE_HOSTS = List.of(4, 8, 16, 32, 64);
    private static final List<DetectorProtocol> FAILURE_PROTOCOLS = List.of(DetectorProtocol.BRR, DetectorProtocol.DBRR);

    private static final int SITES_MAX = 64;
    private static final int PERIOD_MS_MIN = 10;
    private static final int MS_MAX = 60_000;
    private static final int TRIALS_MAX = 100_000;
    private static final int FAILURE_TRIALS_MAX = 1_000_000_000;
    private static final double DRIFT_MAX = 0.01;

    /** Checks the numbers. */
    public DetectorPlan {
        protocols = protocols.stream().distinct().toList();
        hosts = hosts.stream().distinct().sorted().toList();
        if (protocols.contains(DetectorProtocol.NONE)) {
            throw new IllegalArgumentException("detector none finds nothing, expected others");
        }
        hosts.forEach(each -> RangeCheck.check("hosts", each, 2, DetectorMessage.HOSTS_MAX));
        RangeCheck.check("sites", sites, 1, SITES_MAX);
        RangeCheck.check("ms of a round", periodMs, PERIOD_MS_MIN, MS_MAX);
        RangeCheck.check("ms of a pause", pauseMs, 0, MS_MAX);
        RangeCheck.check("trials", trials, 1, TRIALS_MAX);
        RangeCheck.check("trials of the detector's own failure", failureTrials, 0, FAILURE_TRIALS_MAX);
        check("ms of delay", delayMs, MS_MAX);
        check("share of lost messages", loss, 1);
        check("drift", drift, DRIFT_MAX);
    }

    private static void check(String what, double value, double max) {
        if (!(value >= 0 && value <= max)) {
            throw new IllegalArgumentException(value + " " + what + ", expected 0 to " + max);
        }
    }

    NetworkConditions conditions() {
        return new NetworkConditions(
                sites, (long) (delayMs * 1e6), loss, TimeUnit.MILLISECONDS.toNanos(pauseMs), pauseMs == 0 ? 0 : PAUSE_EVERY_NANOS, drift);
    }

    @Override
    public DetectorReport run(BenchWatch watch) throws InterruptedException {
        List<DetectionFigure> figures = new ArrayList<>();
        List<RingFailure> failures = new ArrayList<>();
        int all = protocols.size() * hosts.size() * trials + (failureTrials == 0 ? 0 : FAILURE_PROTOCOLS.size() * FAILURE_HOSTS.size());
        int done = 0;
        for (DetectorProtocol protocol : protocols) {
            for (int count : hosts) {
                DetectionFigure figure = new DetectionFigure(protocol, count, TimeUnit.MILLISECONDS.toNanos(periodMs), conditions());
                for (int trial = 0; trial < trials; trial++) {
                    step(watch, protocol.word() + ", " + count + " hosts", done++, all);
                    figure.run(KILL_NANOS, seed + trial);
                }
                figures.add(figure);
            }
        }
        if (failureTrials > 0) {
            for (DetectorProtocol protocol : FAILURE_PROTOCOLS) {
                for (int count : FAILURE_HOSTS) {
                    step(watch, protocol.word() + "'s own failure, " + count + " hosts", done++, all);
                    failures.add(RingFailure.measure(protocol, count, failureTrials, seed));
                }
            }
        }
        return new DetectorReport(this, figures, failures);
    }

    private static void step(BenchWatch watch, String what, int done, int all) throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        watch.onPhase(what, done, all);
    }
}
