package org.posthouse.bench.detectors;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.posthouse.detector.VerdictChecks;
import org.posthouse.detector.VerdictPort;

/** The relay of a site, which decides about the hosts there. Their connections stay open when they die. */
final class SimulatedRelay extends PausableProcess {
    private static final long TICK_NANOS = 100_000_000;

    private final VirtualTime time;
    private final long periodNanos;
    private final VerdictChecks checks;
    private final Map<Long, Set<Integer>> askers = new HashMap<>();
    private boolean isTicking;

    SimulatedRelay(VirtualTime time, RandomGenerator random, NetworkConditions conditions, long periodNanos, VerdictPort port) {
        super(time, random, conditions);
        this.time = time;
        this.periodNanos = periodNanos;
        this.checks = new VerdictChecks(port, TICK_NANOS);
    }

    void onQuestion(int asker, int host) {
        askers.computeIfAbsent((long) host, key -> new TreeSet<>()).add(asker);
        checks.ask(host, periodNanos, time.now());
        tickLater();
    }

    /** Hosts that wait for the verdict. */
    Set<Integer> takeAskers(long host) {
        Set<Integer> waiting = askers.remove(host);
        return waiting == null ? Set.of() : waiting;
    }

    void onHeard(int host) {
        checks.onHeard(host, true);
    }

    private void tickLater() {
        if (!isTicking && !checks.isIdle()) {
            isTicking = true;
            time.after(TICK_NANOS, () -> run(() -> {
                isTicking = false;
                checks.tick(time.now());
                tickLater();
            }));
        }
    }
}
