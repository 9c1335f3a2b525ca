package org.posthouse.mpj.coll;

import java.util.stream.IntStream;

/**
 * The two groups of an intercommunicator as its collectives see them: one row of ranks, the same at all of them. Confined as {@link Peers} are.
 */
public final class InterPeers {
    /** A root argument: the calling rank is the root. As MPI.ROOT, MPI.PROC_NULL is any other negative number. */
    public static final int ROOT = -4;

    private final Peers all;
    private final int rank;
    private final int[] local;
    private final int[] remote;
    private final boolean first;

    /**
     * @param all both groups in an order that all ranks agree on, one group behind the other; used by nobody else at the
     *     same time
     * @param localSize ranks of the calling process's group
     * @param first whether its group is in front
     */
    public InterPeers(Peers all, int localSize, boolean first) {
        this.all = all;
        this.first = first;
        int remoteSize = all.size() - localSize;
        local = numbers(first ? 0 : remoteSize, localSize);
        remote = numbers(first ? localSize : 0, remoteSize);
        rank = all.rank() - local[0];
    }

    private static int[] numbers(int first, int count) {
        return IntStream.range(first, first + count).toArray();
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

    /** Whether the calling rank's group is the one that both agree to name first. */
    boolean isFirst() {
        return first;
    }
}
