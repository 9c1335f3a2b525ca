package org.posthouse.mpj.coll;

import java.util.stream.IntStream;
import org.posthouse.mpj.Endpoint;

/**
 * The two groups of an intercommunicator as its collectives see them: one sequence of ranks, the same at all of them,
 * with the ranks of one group behind those of the other. Confined like {@link Peers}.
 */
public final class InterPeers {
    /** A root argument: the calling rank is the root. This is MPI.ROOT; MPI.PROC_NULL is any other negative number. */
    public static final int ROOT = -4;

    private final Peers all;
    private final int rank;
    private final int[] local;
    private final int[] remote;
    private final boolean first;

    /**
     * @param context the intercommunicator's collective context
     * @param rank the calling process's rank in its own group
     * @param localRanks world ranks of its group, and {@code remoteRanks} of the other: no rank is in both
     */
    public InterPeers(Endpoint endpoint, int context, int rank, int[] localRanks, int[] remoteRanks) {
        this(endpoint, Algorithms.fromEnvironment(), context, rank, localRanks, remoteRanks);
    }

    InterPeers(
            Endpoint endpoint, Algorithms algorithms, int context, int rank, int[] localRanks, int[] remoteRanks) {
        this.rank = rank;
        // Both groups agree without a message on which one is first.
        first = localRanks[0] < remoteRanks[0];
        int[] before = first ? localRanks : remoteRanks;
        int[] behind = first ? remoteRanks : localRanks;
        local = numbers(first ? 0 : before.length, localRanks.length);
        remote = numbers(first ? before.length : 0, remoteRanks.length);
        int[] row = IntStream.concat(IntStream.of(before), IntStream.of(behind)).toArray();
        all = new Peers(endpoint, algorithms, context, local[rank], row);
    }

    private static int[] numbers(int first, int count) {
        return IntStream.range(first, first + count).toArray();
    }

    /** Operations so far. */
    public int operations() {
        return all.operations();
    }

    /** Counts operations from here on. */
    public void countingFrom(int operation) {
        all.countingFrom(operation);
    }

    /** Both groups. */
    Peers all() {
        return all;
    }

    /** The calling rank's own group, for one phase. */
    Peers own() {
        return all.among(local);
    }

    /** Rank 0, the root, is one of the other group; then come the own group's ranks: for one phase. */
    Peers behind(int remoteRoot) {
        return all.among(join(remote[remoteRoot], local));
    }

    /** Rank 0 is the calling rank; then come the other group's ranks: for one phase. */
    Peers inFront() {
        return all.among(join(local[rank], remote));
    }

    private static int[] join(int head, int[] tail) {
        return IntStream.concat(IntStream.of(head), IntStream.of(tail)).toArray();
    }

    int rank() {
        return rank;
    }

    /** Number of a rank of the other group among {@link #all}. */
    int remote(int rank) {
        return remote[rank];
    }

    int remoteSize() {
        return remote.length;
    }

    /** All ranks of the other group, by their numbers among {@link #all}. */
    int[] remotes() {
        return remote;
    }

    /** Whether the calling rank's group is the first of the agreed order. */
    boolean isFirst() {
        return first;
    }
}
