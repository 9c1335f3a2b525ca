package org.posthouse.plan;

import java.util.Arrays;
import java.util.List;

/**
 * The hosts that a job may use, by their ages.
 *
 * @param ages of some hosts each; the last may be without limit
 */
public record HostPool(List<Age> ages) {
    /** Any number of hosts. */
    public static final long UNLIMITED = Long.MAX_VALUE;

    /**
     * Hosts of one age.
     *
     * @param uptime seconds for which they have been up
     * @param count how many
     */
    public record Age(double uptime, long count) {}

    public HostPool {
        ages = List.copyOf(ages);
    }

    /** As many hosts as are wanted, all of one age. */
    public static HostPool unlimited(double uptime) {
        return new HostPool(List.of(new Age(uptime, UNLIMITED)));
    }

    public boolean isUnlimited() {
        return ages.stream().anyMatch(age -> age.count() == UNLIMITED);
    }

    /** How many there are; {@link #UNLIMITED} without limit. */
    public long size() {
        return isUnlimited() ? UNLIMITED : ages.stream().mapToLong(Age::count).sum();
    }

    /**
     * The hosts that most probably live for some time.
     *
     * @param count at most {@link #size}, and few enough for an array
     * @return their cumulative hazards, the smallest first
     */
    double[] best(Weibull model, int count, double seconds) {
        List<Age> order = ages.stream().sorted((a, b) -> Double.compare(model.hazard(a.uptime(), seconds), model.hazard(b.uptime(), seconds))).toList();
        double[] hazards = new double[count];
        int filled = 0;
        for (Age age : order) {
            int next = (int) Math.min(count, filled + Math.min(age.count(), count));
            Arrays.fill(hazards, filled, next, model.hazard(age.uptime(), seconds));
            filled = next;
        }
        return hazards;
    }
}
