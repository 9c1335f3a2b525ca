package mpi;

import java.util.function.Supplier;

/**
 * A communicator whose processes are the nodes of a graph, which all know whole, or of a distributed one, of which each
 * knows its own edges. All are {@link GraphComm}s, which have Open MPI's spelling too.
 */
public class Graphcomm extends Intracomm {
    /** Null for a distributed graph. */
    private final Graph graph;
    /** The calling process's edges in a distributed graph, else null. */
    private final DistGraphNeighbors edges;

    Graphcomm(OwnProcess self, Group group, int id, String name, Graph graph, DistGraphNeighbors edges) {
        super(self, group, id, name);
        this.graph = graph;
        this.edges = edges;
    }

    /** The graph. */
    public GraphParms Get() throws MPIException {
        return parms("Get");
    }

    final GraphParms parms(String call) {
        return ask(call, () -> graph.parms());
    }

    /** The nodes that the edges of node {@code rank} lead to. */
    public int[] Neighbours(int rank) throws MPIException {
        return neighbours("Neighbours", rank);
    }

    final int[] neighbours(String call, int rank) {
        return ask(call, () -> graph.neighbours(rank));
    }

    /** Asks the graph that all know. */
    private <T> T ask(String call, Supplier<T> question) {
        requireLive(call);
        if (graph == null) {
            throw check.error(MPI.ERR_TOPOLOGY, call, "the graph is a distributed one, expected one that all know");
        }
        try {
            return question.get();
        } catch (WrongShape e) {
            throw e.of(call, check);
        }
    }

    final DistGraphNeighbors edges(String call) {
        requireLive(call);
        if (edges == null) {
            throw check.error(MPI.ERR_TOPOLOGY, call, "the graph is one that all know, expected a distributed one");
        }
        return edges;
    }

    /**
     * The rank that the calling process would get in a graph made with {@code reorder}, or {@link MPI#UNDEFINED} if it
     * would get none.
     */
    public int Map(int[] index, int[] edges) throws MPIException {
        return new TopologyMaker("Map", this).node(index, edges);
    }

    @Override
    public int Topo_test() throws MPIException {
        requireLive("Topo_test");
        return graph == null ? MPI.DIST_GRAPH : MPI.GRAPH;
    }

    @Override
    GraphComm twin(int id) {
        return new GraphComm(self, group, id, check.name(), graph, edges);
    }

    @Override
    public Graphcomm Dup() throws MPIException {
        return copied("Dup", this::twin);
    }

    @Override
    public Graphcomm dup() throws MPIException {
        return copied("dup", this::twin);
    }

    @Override
    public Graphcomm dupWithInfo(Info info) throws MPIException {
        return copied("dupWithInfo", this::twin);
    }

    @Override
    public Graphcomm iDup() throws MPIException {
        return copying("iDup", this::twin);
    }

    @Override
    public Graphcomm clone() {
        return copied("clone", this::twin);
    }

    /** The processes whose edges lead here; in a graph that all know, the calling process's neighbours. */
    @Override
    int[] sources(String call) {
        return graph == null && edges != null ? edges.sources() : neighbours(call, group.Rank());
    }

    /** The processes that the edges from here lead to; in a graph that all know, its neighbours. */
    @Override
    int[] destinations(String call) {
        return graph == null && edges != null ? edges.destinations() : neighbours(call, group.Rank());
    }
}
