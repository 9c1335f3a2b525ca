package org.posthouse.bench.replicas;

import java.util.Arrays;
import org.posthouse.bench.statistics.Medians;

/**
 * One phase of a pair.
 *
 * @param nanos the round trips as the first rank's leader saw them
 * @param spent by all processes, until the last follower was through
 */
record PhaseResult(long[] nanos, CpuTimes spent) {
    double medianMicros() {
        return Medians.of(Arrays.stream(nanos).asDoubleStream().toArray()) / 1e3;
    }
}
