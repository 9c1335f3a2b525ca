package mpi;

/** A {@link Graphcomm} with Open MPI's spelling of its calls. */
public final class GraphComm extends Graphcomm {
    GraphComm(OwnProcess self, Group group, int id, String name, Graph graph, DistGraphNeighbors edges) {
        super(self, group, id, name, graph, edges);
    }

    /** The result for a process that is no node of the graph. */
    static GraphComm ofNobody() {
        return new GraphComm(null, Group.EMPTY, NO_ID, "COMM_NULL", null, null);
    }

    /** As {@link #Get}. */
    public GraphParms getDims() throws MPIException {
        return parms("getDims");
    }

    /** As {@link #Neighbours}. */
    public int[] getNeighbors(int rank) throws MPIException {
        return neighbours("getNeighbors", rank);
    }

    /** The calling process's edges in a distributed graph, as they were given; if by others, in their rank order. */
    public DistGraphNeighbors getDistGraphNeighbors() throws MPIException {
        return edges("getDistGraphNeighbors");
    }

    /** As {@link #Map}. */
    public int map(int[] index, int[] edges) throws MPIException {
        return new TopologyMaker("map", this).node(index, edges);
    }

    @Override
    public GraphComm dup() throws MPIException {
        return copied("dup", this::twin);
    }

    @Override
    public GraphComm dupWithInfo(Info info) throws MPIException {
        return copied("dupWithInfo", this::twin);
    }

    @Override
    public GraphComm iDup() throws MPIException {
        return copying("iDup", this::twin);
    }

    @Override
    public GraphComm clone() {
        return copied("clone", this::twin);
    }
}
