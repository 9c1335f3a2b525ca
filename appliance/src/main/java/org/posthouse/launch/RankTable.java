package org.posthouse.launch;

import java.util.Arrays;

/**
 * What the launcher knows of each rank. Two tell it about a rank's end, in either order: the process's exit, and the
 * home relay, which saw the connection end. Confined to the job's thread.
 */
final class RankTable {
    private static final int RUNNING = -1;

    private enum Link {
        NONE,
        CONNECTED,
        FINALIZED,
        LOST
    }

    private final int[] homeOf;
    private final int[] status;
    private final Link[] links;
    private final String[] lostWhy;
    private int exited;
    private boolean anyConnected;

    /** @param homeOf for each rank, the index of its relay */
    RankTable(int[] homeOf) {
        this.homeOf = homeOf;
        this.status = new int[homeOf.length];
        this.links = new Link[homeOf.length];
        this.lostWhy = new String[homeOf.length];
        Arrays.fill(status, RUNNING);
        Arrays.fill(links, Link.NONE);
    }

    int home(int rank) {
        return homeOf[rank];
    }

    void exited(int rank, int exitStatus) {
        status[rank] = exitStatus;
        exited++;
    }

    void connected(int rank) {
        links[rank] = Link.CONNECTED;
        anyConnected = true;
    }

    void finalized(int rank) {
        links[rank] = Link.FINALIZED;
    }

    void lost(int rank, String why) {
        links[rank] = Link.LOST;
        lostWhy[rank] = why;
    }

    boolean allExited() {
        return exited == status.length;
    }

    boolean hasExited(int rank) {
        return status[rank] != RUNNING;
    }

    int status(int rank) {
        return status[rank];
    }

    boolean isLost(int rank) {
        return links[rank] == Link.LOST;
    }

    String lostWhy(int rank) {
        return lostWhy[rank];
    }

    /** Whether all that will be told of the rank's end has been told. */
    boolean isSettled(int rank) {
        if (neverConnected(rank)) {
            return false;
        }
        return hasExited(rank) ? links[rank] != Link.CONNECTED : links[rank] != Link.LOST;
    }

    /** Whether the rank ended well and, as far as is known, never called Init, which others did. */
    boolean neverConnected(int rank) {
        return status[rank] == 0 && links[rank] == Link.NONE && anyConnected;
    }

    /** Whether the rank runs and, as far as is known, has not called Init. */
    boolean isAwaited(int rank) {
        return status[rank] == RUNNING && links[rank] == Link.NONE;
    }

    /** A rank of whose end only one of the two has told, or -1. */
    int firstUnsettled() {
        for (int rank = 0; rank < status.length; rank++) {
            if (!isSettled(rank)) {
                return rank;
            }
        }
        return -1;
    }
}
