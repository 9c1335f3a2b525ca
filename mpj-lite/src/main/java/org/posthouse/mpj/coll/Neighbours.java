package org.posthouse.mpj.coll;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;

/**
 * The neighbourhood collectives of a topology (MPI-3.1, 7.6): direct messages from each source and to each destination,
 * all at once. A negative rank stands for no rank: its block is neither read nor written. Immutable.
 */
public final class Neighbours {
    private final int[] sources;
    private final int[] destinations;
    /** Indexes of the destinations in send order, which distinguishes messages between the same two ranks. */
    private final int[] order;

    private Neighbours(int[] sources, int[] destinations, int[] order) {
        this.sources = sources;
        this.destinations = destinations;
        this.order = order;
    }

    /** In a graph: of several edges from one rank to another the k-th at one end is the k-th at the other. */
    public static Neighbours inGraph(int[] sources, int[] destinations) {
        return new Neighbours(sources, destinations, IntStream.range(0, destinations.length).toArray());
    }

    /**
     * In a Cartesian grid.
     *
     * @param neighbours of each dimension the rank below, then the one above. What goes up comes from below, even where
     *     both are the same rank
     */
    public static Neighbours inGrid(int[] neighbours) {
        return new Neighbours(
                neighbours, neighbours, IntStream.range(0, neighbours.length).map(i -> i ^ 1).toArray());
    }

    /**
     * Neighbour_allgather and its v-form: the same elements to all destinations.
     *
     * @param blocks a block for each source
     */
    public void allgather(Peers peers, Region send, int count, Region receive, Blocks blocks)
            throws ReceiveException {
        Block[] same = new Block[destinations.length];
        Arrays.fill(same, new Block(send, 0, count));
        alltoall(peers, same, blocks.in(receive, sources.length));
    }

    /** Neighbour_alltoall and its v-form: a block for each destination, and one for each source. */
    public void alltoall(Peers peers, Region send, Blocks sendBlocks, Region receive, Blocks receiveBlocks)
            throws ReceiveException {
        alltoall(
                peers, sendBlocks.in(send, destinations.length), receiveBlocks.in(receive, sources.length));
    }

    /** Blocks of any datatypes. */
    public void alltoall(Peers peers, Block[] send, Block[] receive) throws ReceiveException {
        peers.begin();
        exchange(peers, send, receive);
        peers.end();
    }

    void exchange(Peers peers, Block[] send, Block[] receive) {
        Block[] given = Block.safeFrom(peers, receive, send);
        for (int i = 0; i < given.length; i++) {
            given[i] = destinations[i] < 0 ? null : given[i];
        }
        Content[] contents = peers.contents(given);
        Operation[] receives = new Operation[sources.length];
        for (int i = 0; i < sources.length; i++) {
            receives[i] = sources[i] < 0 ? null : peers.receive(sources[i], receive[i].sink());
        }
        Operation[] sends = new Operation[order.length];
        for (int i : order) {
            sends[i] = destinations[i] < 0 ? null : peers.send(destinations[i], contents[i]);
        }
        peers.awaitAll(receives);
        peers.awaitAll(sends);
    }
}
