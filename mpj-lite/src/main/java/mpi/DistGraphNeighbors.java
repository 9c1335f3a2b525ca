package mpi;

/** The edges of the calling process in a distributed graph topology. Immutable. */
public final class DistGraphNeighbors {
    private final Edges in;
    private final Edges out;
    private final boolean weighted;

    /**
     * @param in edges towards the calling process
     * @param out edges away from it
     */
    DistGraphNeighbors(Edges in, Edges out, boolean weighted) {
        this.in = in;
        this.out = out;
        this.weighted = weighted;
    }

    /** The number of edges that end here. */
    public int getInDegree() {
        return in.ranks().length;
    }

    /** The number of edges that begin here. */
    public int getOutDegree() {
        return out.ranks().length;
    }

    /** Whether the edges were given weights. */
    public boolean isWeighted() {
        return weighted;
    }

    /** Where the edge {@code i} of those that end here begins. */
    public int getSource(int i) {
        return in.ranks()[i];
    }

    /** Its weight; 1 if there are none. */
    public int getSourceWeight(int i) {
        return in.weights()[i];
    }

    /** Where the edge {@code i} of those that begin here ends. */
    public int getDestination(int i) {
        return out.ranks()[i];
    }

    /** Its weight; 1 if there are none. */
    public int getDestinationWeight(int i) {
        return out.weights()[i];
    }

    int[] sources() {
        return in.ranks().clone();
    }

    int[] destinations() {
        return out.ranks().clone();
    }

    /**
     * Edges on one side of a process.
     *
     * @param ranks the processes at the other ends
     * @param weights as many
     */
    record Edges(int[] ranks, int[] weights) {}
}
