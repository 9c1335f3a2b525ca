package org.posthouse.tunnel;

import java.util.Arrays;

/**
 * How much more comes at once than the rate makes of the time: what words that were held up on their way (a thread that could not run, a network that
 * delays unevenly) tell together. A pipe that is full lets as much come as its rate, however long its queue: there it is next to nothing. So it tells
 * one long way from the other, as the shortest time alone does not. BBR, draft-ietf-ccwg-bbr: the aggregation budget, extra_acked. Pure; confined to its governor.
 */
final class LinkBursts {
    private final long[] rounds;
    private long round;

    /** What has come since, so far more than the rate makes of the time. */
    private long came;

    private long sinceNanos;

    /** @param rounds that are remembered, 2 or more */
    LinkBursts(int rounds) {
        this.rounds = new long[rounds];
    }

    /** @param rate at which bulk comes, in bytes a nanosecond */
    void come(long bytes, double rate, long nowNanos) {
        double expected = rate * (nowNanos - sinceNanos);
        if (came <= expected) {
            came = 0;
            sinceNanos = nowNanos;
            expected = 0;
        }
        came += bytes;
        round = Math.max(round, Math.round(came - expected));
    }

    void beginRound() {
        round = 0;
    }

    /** The round counts, in place of the one that had this index. */
    void keep(int index) {
        rounds[index] = round;
    }

    void forget() {
        Arrays.fill(rounds, 0);
        came = 0;
    }

    /** Bytes: of the remembered rounds' the second highest, as a single delay says nothing of the way. */
    long bytes() {
        long highest = 0;
        long second = 0;
        for (long bytes : rounds) {
            second = Math.max(second, Math.min(highest, bytes));
            highest = Math.max(highest, bytes);
        }
        return second;
    }
}
