package mpi;

/** With whom to exchange for a shift along one dimension; {@link MPI#PROC_NULL} beyond an open edge. */
public class ShiftParms {
    /** Where what arrives at the calling process comes from. */
    public int rank_source;

    /** Where what leaves the calling process goes. */
    public int rank_dest;

    ShiftParms(int source, int destination) {
        rank_source = source;
        rank_dest = destination;
    }

    /** As {@link #rank_source}. */
    public int getRankSource() {
        return rank_source;
    }

    /** As {@link #rank_dest}. */
    public int getRankDest() {
        return rank_dest;
    }
}
