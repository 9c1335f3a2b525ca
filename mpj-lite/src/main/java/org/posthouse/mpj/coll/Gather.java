package org.posthouse.mpj.coll;

import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;

/**
 * Gather and Gatherv: every rank sends directly to the root, which posts all receives at once. The relay's mailbox
 * keeps early messages, and each byte crosses between two sites once. A tree would only move bytes more often.
 */
public final class Gather {
    private Gather() {}

    /**
     * Copies the first {@code count} elements of each rank to its block at the root.
     *
     * @param receive used at the root only, as is {@code blocks}; at the root it may lie in the array of {@code send}
     */
    public static void run(Peers peers, Region send, int count, Region receive, Blocks blocks, int root)
            throws ReceiveException {
        peers.begin();
        phase(peers, send, count, receive, blocks, root);
        peers.end();
    }

    static void phase(Peers peers, Region send, int count, Region receive, Blocks blocks, int root) {
        if (peers.rank() != root) {
            peers.await(peers.send(root, peers.content(send, 0, count)));
            return;
        }
        // Its own block first: arriving data may be stored where it is now.
        peers.keep(new Block(send, 0, count), blocks.of(root, receive));
        Operation[] receives = new Operation[peers.size()];
        for (int rank = 0; rank < receives.length; rank++) {
            if (rank != root) {
                receives[rank] = peers.receive(rank, blocks.of(rank, receive).sink());
            }
        }
        peers.awaitAll(receives);
    }
}
