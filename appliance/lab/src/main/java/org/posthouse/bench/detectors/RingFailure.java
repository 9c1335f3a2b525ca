package org.posthouse.bench.detectors;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Deque;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import org.posthouse.detector.DetectorProtocol;
import org.posthouse.detector.RoundSchedule;

/**
 * The failure of a detector itself (P2P-MPI chapter, figure 12): so many hosts have died at once that beats of some living
 * host do not reach all the others, because the graph of who sends to whom is not strongly connected any more.
 *
 * @param failures of {@code trials}
 */
record RingFailure(DetectorProtocol protocol, int hosts, long trials, long failures) {
    /** Failures a second of one host, and the seconds of the experiment. */
    private static final double LAMBDA = 1e-3;
    private static final double SECONDS = 100;

    /** Probability that a host has died: 0.0952. */
    static final double DEAD = -Math.expm1(-LAMBDA * SECONDS);

    static RingFailure measure(DetectorProtocol protocol, int hosts, long trials, long seed) {
        RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        BitSet living = new BitSet(hosts);
        long failures = 0;
        for (long trial = 0; trial < trials; trial++) {
            living.clear();
            for (int host = 0; host < hosts; host++) {
                living.set(host, random.nextDouble() >= DEAD);
            }
            failures += isConnected(protocol, hosts, living) ? 0 : 1;
        }
        return new RingFailure(protocol, hosts, trials, failures);
    }

    /** The exact probability, from all sets of dead hosts. For up to 20 hosts. */
    static double exactly(DetectorProtocol protocol, int hosts) {
        double sum = 0;
        for (long set = 0; set < 1L << hosts; set++) {
            BitSet living = BitSet.valueOf(new long[] {set});
            if (!isConnected(protocol, hosts, living)) {
                sum += Math.pow(1 - DEAD, living.cardinality()) * Math.pow(DEAD, (double) hosts - living.cardinality());
            }
        }
        return sum;
    }

    double probability() {
        return (double) failures / trials;
    }

    /** The standard deviation of the measured probability where the true one is {@code probability}. */
    double sigma(double probability) {
        return Math.sqrt(probability * (1 - probability) / trials);
    }

    /** Whether each living host's beats reach every other: forwards and backwards from one of them all are found. */
    private static boolean isConnected(DetectorProtocol protocol, int hosts, BitSet living) {
        if (living.cardinality() < 2) {
            return true;
        }
        RoundSchedule schedule = new RoundSchedule(protocol, hosts);
        int[] distances = IntStream.range(0, schedule.cycle()).map(round -> schedule.destination(0, round, null)).toArray();
        return reaches(distances, hosts, living, 1) && reaches(distances, hosts, living, -1);
    }

    private static boolean reaches(int[] distances, int hosts, BitSet living, int direction) {
        BitSet found = new BitSet(hosts);
        Deque<Integer> next = new ArrayDeque<>();
        next.add(living.nextSetBit(0));
        found.set(next.element());
        while (!next.isEmpty()) {
            int host = next.remove();
            for (int distance : distances) {
                int other = Math.floorMod(host + direction * distance, hosts);
                if (living.get(other) && !found.get(other)) {
                    found.set(other);
                    next.add(other);
                }
            }
        }
        return found.cardinality() == living.cardinality();
    }
}
