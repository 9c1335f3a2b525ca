package mpi;

import java.util.Arrays;

/** A graph as MPI writes it down: the edges of all nodes, one node after another. Immutable. */
final class Graph {
    /** Edges of all nodes up to and with each one. */
    private final int[] index;

    private final int[] edges;

    /**
     * @param edges at least as many as the last index says; each from 0 to the number of nodes - 1
     * @throws WrongShape if this is no graph
     */
    Graph(int[] index, int[] edges) {
        if (index == null || edges == null || index.length == 0) {
            throw new WrongShape(
                    MPI.ERR_ARG,
                    "the index is " + Arrays.toString(index) + " and the edges are " + Arrays.toString(edges)
                            + ", expected both, and one node at least");
        }
        int before = 0;
        for (int each : index) {
            if (each < before || each > edges.length) {
                throw new WrongShape(
                        MPI.ERR_ARG,
                        "the index is " + Arrays.toString(index) + ", expected ascending numbers up to the "
                                + edges.length + " edges");
            }
            before = each;
        }
        this.index = index.clone();
        this.edges = Arrays.copyOf(edges, before);
        for (int edge : this.edges) {
            if (edge < 0 || edge >= index.length) {
                throw new WrongShape(
                        MPI.ERR_ARG, "an edge leads to " + edge + ", expected 0 to " + (index.length - 1));
            }
        }
    }

    int nodes() {
        return index.length;
    }

    GraphParms parms() {
        return new GraphParms(index.clone(), edges.clone());
    }

    /** The nodes at the other ends of a node's edges, as often and in the order given. */
    int[] neighbours(int node) {
        if (node < 0 || node >= index.length) {
            throw new WrongShape(MPI.ERR_RANK, "rank is " + node + ", expected 0 to " + (index.length - 1));
        }
        return Arrays.copyOfRange(edges, node == 0 ? 0 : index[node - 1], index[node]);
    }
}
