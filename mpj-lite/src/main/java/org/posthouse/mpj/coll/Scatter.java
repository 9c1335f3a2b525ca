package org.posthouse.mpj.coll;

import org.posthouse.mpj.Operation;
import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.data.Region;

/**
 * Scatter and Scatterv: the root sends straight to every rank, all at once, for the reasons given at {@link Gather}.
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
        int tag = peers.nextTag();
        if (peers.rank() != root) {
            peers.await(peers.receive(root, tag, receive.sink(0, capacity)));
            return;
        }
        int size = peers.size();
        Operation[] sends = new Operation[size];
        for (int step = 1; step < size; step++) {
            int rank = (root + step) % size;
            sends[step] = peers.send(rank, tag, send.content(blocks.position(rank), blocks.count(rank)));
        }
        peers.awaitAll(sends);
        // Last its own: it may be stored where another rank's block lay.
        send.deliver(blocks.position(root), blocks.count(root), receive, 0, capacity);
    }
}
