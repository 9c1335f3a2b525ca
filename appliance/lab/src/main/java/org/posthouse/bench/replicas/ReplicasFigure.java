package org.posthouse.bench.replicas;

import java.util.ArrayList;
import java.util.List;
import org.posthouse.bench.statistics.Medians;

/** A line of the report: round trips of one size with one degree. Confined to the driver's thread until all is measured. */
final class ReplicasFigure {
    private final int bytes;
    private final int degree;
    private final List<Double> micros = new ArrayList<>();
    private long roundTrips;
    private CpuTimes spent = CpuTimes.NONE;

    ReplicasFigure(int bytes, int degree) {
        this.bytes = bytes;
        this.degree = degree;
    }

    void add(PhaseResult phase) {
        micros.add(phase.medianMicros());
        roundTrips += phase.nanos().length;
        spent = spent.plus(phase.spent());
    }

    int bytes() {
        return bytes;
    }

    int degree() {
        return degree;
    }

    long roundTrips() {
        return roundTrips;
    }

    /** The median round trip of each repetition. */
    List<Double> medians() {
        return List.copyOf(micros);
    }

    double medianMicros() {
        return Medians.of(micros);
    }

    /** For one round trip: a mean over all phases. */
    CpuTimes cpu() {
        return spent.per(roundTrips);
    }
}
