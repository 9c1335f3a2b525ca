package mpi;

import java.util.Arrays;

/** An ordered set of processes: which world rank each of its ranks is. Immutable. */
public class Group {
    private final int[] worldRanks;
    /** Rank of each world rank, or UNDEFINED. */
    private final int[] rankOf;

    private final int rank;

    /**
     * @param worldRanks world rank of each rank; kept, not copied
     * @param worldSize number of processes in the job
     * @param self world rank of the calling process
     */
    Group(int[] worldRanks, int worldSize, int self) {
        this.worldRanks = worldRanks;
        rankOf = new int[worldSize];
        Arrays.fill(rankOf, MPI.UNDEFINED);
        for (int each = 0; each < worldRanks.length; each++) {
            rankOf[worldRanks[each]] = each;
        }
        rank = rankOf[self];
    }

    /** All processes of the job, in world order. */
    static Group world(int worldSize, int self) {
        int[] worldRanks = new int[worldSize];
        Arrays.setAll(worldRanks, each -> each);
        return new Group(worldRanks, worldSize, self);
    }

    /** The number of processes. */
    public int Size() throws MPIException {
        return worldRanks.length;
    }

    /** The calling process's rank in the group, or {@link MPI#UNDEFINED}. */
    public int Rank() throws MPIException {
        return rank;
    }

    /** World ranks by rank. Not to be changed. */
    int[] worldRanks() {
        return worldRanks;
    }

    int worldRank(int rank) {
        return worldRanks[rank];
    }

    int rankOf(int worldRank) {
        return rankOf[worldRank];
    }
}
