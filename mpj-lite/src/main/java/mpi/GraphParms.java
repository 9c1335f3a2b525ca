package mpi;

/** The shape of a graph topology. A copy, for the program to keep. */
public class GraphParms {
    /** Edges of all nodes up to and with each one. */
    public int[] index;

    /** The nodes at the other ends of the edges, node by node. */
    public int[] edges;

    GraphParms(int[] index, int[] edges) {
        this.index = index;
        this.edges = edges;
    }

    /** The number of nodes. */
    public int getIndexCount() {
        return index.length;
    }

    /** Edges of the nodes 0 to {@code i} together. */
    public int getIndex(int i) {
        return index[i];
    }

    /** The number of edges. */
    public int getEdgeCount() {
        return edges.length;
    }

    /** The node at the other end of edge {@code i}. */
    public int getEdge(int i) {
        return edges[i];
    }
}
