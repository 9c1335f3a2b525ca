package org.posthouse.mpj.coll;

import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;

/**
 * Scatter and Scatterv: the root sends directly to every rank, all at once, for the reasons given at {@link Gather}.
 */
public final class Scatter {
    private Scatter() {}

    /**
     * Copies a block of the root's region to each rank.
     *
     * @param send used at the root only, as is {@code blocks}; it may lie in the array of {@code receive}
     */
    public static void run(Peers peers, Region send, Blocks blocks, Region receive, int capacity, int root)
            throws ReceiveException {
        peers.begin();
        phase(peers, send, blocks, receive, capacity, root);
        peers.end();
    }

    static void phase(Peers peers, Region send, Blocks blocks, Region receive, int capacity, int root) {
        if (peers.rank() != root) {
            peers.await(peers.receive(root, receive.sink(0, capacity)));
            return;
        }
        int size = peers.size();
        Block[] all = blocks.in(send, size);
        Block own = all[root];
        all[root] = null;
        Content[] contents = peers.contents(all);
        Operation[] sends = new Operation[size];
        for (int step = 1; step < size; step++) {
            int rank = (root + step) % size;
            sends[step] = peers.send(rank, contents[rank]);
        }
        peers.awaitAll(sends);
        // Its own block last: it may be stored where another rank's block was.
        peers.keep(own, new Block(receive, 0, capacity));
    }
}
