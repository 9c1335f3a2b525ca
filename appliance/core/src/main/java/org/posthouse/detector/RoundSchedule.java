package org.posthouse.detector;

import java.util.random.RandomGenerator;

/**
 * Who sends to whom in each round, for hosts in a ring with places 0 to n-1 (P2P-MPI chapter, gossip protocols). Rounds
 * are counted from 0 and repeat after a cycle. Immutable.
 */
public final class RoundSchedule {
    /** Rounds that beats drawn at random may take beyond what they take in the mean: no draw of 20 at n = 256 took more. */
    private static final int RANDOM_SPARE_ROUNDS = 8;

    private final DetectorProtocol protocol;
    private final int hosts;
    private final int log;

    /** @param hosts in the ring, one or more */
    public RoundSchedule(DetectorProtocol protocol, int hosts) {
        if (hosts < 1) {
            throw new IllegalArgumentException("a ring of " + hosts + " hosts, expected 1 or more");
        }
        this.protocol = protocol;
        this.hosts = hosts;
        this.log = Integer.SIZE - Integer.numberOfLeadingZeros(hosts - 1);
    }

    /** Rounds after which the destinations repeat; 1 where they do not. */
    public int cycle() {
        return Math.max(1, switch (protocol) {
            case RR -> hosts - 1;
            case BRR -> log;
            case DBRR -> 2 * log;
            case RANDOM, SWIM, NONE -> 1;
        });
    }

    /**
     * The place to which the host at {@code place} sends in a round. It is {@code place} itself in a ring of one.
     *
     * @param random draws the place where the protocol says so
     */
    public int destination(int place, long round, RandomGenerator random) {
        int turn = (int) Math.floorMod(round, cycle());
        return hosts == 1 ? place : Math.floorMod(place + switch (protocol) {
            case RR -> turn + 1;
            case BRR -> 1 << turn;
            case DBRR -> turn < log ? 1 << turn : -(1 << turn - log);
            case RANDOM -> 1 + random.nextInt(hosts - 1);
            case SWIM, NONE -> throw new IllegalStateException(protocol + " has no rounds");
        }, hosts);
    }

    /**
     * Rounds without a rise of a host's beat after which it is suspected.
     *
     * @param commonClock whether all hosts are in the same round at a time
     */
    public int cleanupRounds(boolean commonClock) {
        return Math.max(1, switch (protocol) {
            case RR -> (int) Math.ceil(1.5 * triangularRoot());
            case BRR -> (commonClock ? 2 : 3) * log;
            case DBRR -> 3 * log;
            case RANDOM -> (int) Math.ceil(Math.log(hosts) / Math.log(2) + Math.log(hosts)) + RANDOM_SPARE_ROUNDS;
            case SWIM, NONE -> throw new IllegalStateException(protocol + " has no cleanup time");
        });
    }

    /**
     * Nanoseconds without a rise of a host's beat after which it is suspected: three rounds and four delays at least.
     *
     * @param periodNanos length of a round
     * @param delayNanos of a message, as measured
     */
    public long cleanupNanos(long periodNanos, long delayNanos, boolean commonClock) {
        return Math.max(cleanupRounds(commonClock) * periodNanos, 3 * periodNanos + 4 * delayNanos);
    }

    /**
     * Rounds from a verdict until the ring is without the dead host: two cycles, so that all have heard of it; at most the
     * cleanup time, behind which nothing of the old order is under way; and four at least, for the way of the word.
     */
    public int switchRounds() {
        int needed = protocol == DetectorProtocol.SWIM ? 0 : Math.min(2 * cycle(), cleanupRounds(true));
        return Math.max(4, needed);
    }

    /**
     * The chapter's bound on the rounds of RR for a beat of round 0: 1 + 2 + … + rho reach n. A beat of the worst round takes some sqrt(2) times as
     * long, and for no n to 4,096 more than 1.5 times, rounded up.
     */
    private double triangularRoot() {
        return (Math.sqrt(1 + 8.0 * hosts) - 1) / 2;
    }
}
