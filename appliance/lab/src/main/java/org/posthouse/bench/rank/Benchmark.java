package org.posthouse.bench.rank;

import java.util.Locale;

/**
 * The tests, with the definitions of the Intel MPI Benchmarks (IMB-MPI1; "User Guide", chapter MPI-1 Benchmarks). They
 * say what one iteration does, how it is timed, and how many bytes count for the throughput. {@code docs/bench.md} is
 * the table.
 */
public enum Benchmark {
    /** Rank i sends X bytes to its partner and gets X bytes back; t is half of that, throughput X/t. */
    PINGPONG(Shape.PAIRS, 2, 1),
    /** Rank i sends a window of messages of X bytes to its partner, which answers all of them with one byte. */
    STREAM(Shape.PAIRS, 1, 1),
    /** Both partners send X bytes at once; throughput X/t. */
    PINGPING(Shape.PAIRS, 1, 1),
    /** A chain of all ranks in a ring: each sends right and receives from the left; one in, one out: 2X/t. */
    SENDRECV(Shape.NEIGHBOURS, 1, 2),
    /** Each rank sends to and receives from both neighbours of the ring; two in, two out: 4X/t. */
    EXCHANGE(Shape.NEIGHBOURS, 1, 4),
    /** X bytes from the root, which moves on by one rank each iteration. */
    BCAST(Shape.COLLECTIVE, 1, 1),
    /** The float sum of X bytes of each rank, at a root that moves on. */
    REDUCE(Shape.COLLECTIVE, 1, 1),
    /** The float sum of X bytes of each rank, at all. */
    ALLREDUCE(Shape.COLLECTIVE, 1, 1),
    /** X bytes of each rank to a root that moves on. */
    GATHER(Shape.COLLECTIVE, 1, 1),
    /** X bytes to each rank from a root that moves on. */
    SCATTER(Shape.COLLECTIVE, 1, 1),
    /** X bytes of each rank to all. */
    ALLGATHER(Shape.COLLECTIVE, 1, 1),
    /** X bytes from each rank to each rank. */
    ALLTOALL(Shape.COLLECTIVE, 1, 1),
    /** No bytes at all. */
    BARRIER(Shape.COLLECTIVE, 1, 0);

    /** The ranks that take part, and those whose time counts. */
    enum Shape {
        /** Disjoint pairs; each first partner's time counts. */
        PAIRS,
        /** All ranks, in step with their neighbours; the slowest rank's time counts. */
        NEIGHBOURS,
        /** All ranks, started by a barrier; the slowest rank's time counts. */
        COLLECTIVE
    }

    /** The messages of a stream's window have so many bytes together at most: of large messages the window is shorter. */
    private static final int WINDOW_BYTES_MAX = 64 << 20;

    private final Shape shape;
    private final int legs;
    private final int turnover;

    Benchmark(Shape shape, int legs, int turnover) {
        this.shape = shape;
        this.legs = legs;
        this.turnover = turnover;
    }

    /**
     * The partner of {@code rank} in a test of pairs. Ranks i and i + n/2, rounded up, are a pair: the first half of the ranks are first
     * partners, where sites and layouts are split too.
     *
     * @param ranks the number of ranks, n
     */
    public static int partner(int rank, int ranks) {
        int half = (ranks + 1) / 2;
        return rank < half ? rank + half : rank - half;
    }

    /** The number of messages of {@code bytes} that a stream has under way at once if {@code wanted} are allowed. */
    public static int window(int wanted, int bytes) {
        return Math.clamp(WINDOW_BYTES_MAX / bytes, 1, wanted);
    }

    /** Whether the ranks work in pairs. */
    public boolean isOfPairs() {
        return shape == Shape.PAIRS;
    }

    /** Number of operations in one iteration, where that does not depend on the plan. */
    public int legs() {
        return legs;
    }

    /** Number of times that X counts for the throughput. */
    public int turnover() {
        return turnover;
    }

    /** Whether there are bytes to vary. */
    public boolean isSized() {
        return this != BARRIER;
    }

    /** Whether each iteration follows on a barrier, which is not timed and whose cost is taken off. */
    public boolean followsBarrier() {
        return shape == Shape.COLLECTIVE && this != BARRIER;
    }

    /** Whether the root moves on by one rank each iteration. */
    public boolean movesRoot() {
        return this == BCAST || this == REDUCE || this == GATHER || this == SCATTER;
    }

    /** Bytes of what the messages are made of; sizes are whole multiples. */
    public int elementBytes() {
        return this == REDUCE || this == ALLREDUCE ? Float.BYTES : 1;
    }

    /** The name on the command line and in reports. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String toString() {
        return word();
    }
}
