package org.posthouse.mpj.coll;

import org.posthouse.mpj.Operation;
import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.data.Region;

/**
 * Reduce_scatter, and with even blocks Reduce_scatter_block: Reduce and Scatterv; but large data of an operation that
 * commutes, within one site, straight from rank to rank, each of which combines its own block only.
 */
public final class ReduceScatter {
    /** Steps under way at one rank. */
    private static final int WINDOW = 8;

    private ReduceScatter() {}

    /**
     * Combines all elements of all ranks, and gives each rank its block of the result.
     *
     * @param receive room for the rank's own block; may lie in the array of {@code send}
     * @param blocks adjacent blocks of {@code send}
     */
    public static void run(Peers peers, Region send, Region receive, Blocks blocks, Reduction op)
            throws ReceiveException {
        peers.begin();
        long bytes = send.bytes(blocks.total(peers.size()));
        switch (peers.algorithms().reduceScatter(peers.call(bytes, op.commutes()))) {
            case REDUCE_SCATTER -> overRoot(peers, send, receive, blocks, op);
            case ROTATION -> rotation(peers, send, receive, blocks, op);
        }
        peers.end();
    }

    private static void overRoot(Peers peers, Region send, Region receive, Blocks blocks, Reduction op) {
        int total = blocks.total(peers.size());
        Region sum = peers.rank() == 0 ? send.scratch(total) : null;
        Reduce.phase(peers, send, sum, total, op, 0);
        Scatter.phase(peers, sum, blocks, receive, blocks.count(peers.rank()), 0);
    }

    private static void rotation(Peers peers, Region send, Region receive, Blocks blocks, Reduction op) {
        int size = peers.size();
        int rank = peers.rank();
        int count = blocks.count(rank);
        Region scratch = send.scratch(count * Math.min(WINDOW + 1, size));
        peers.keep(blocks.of(rank, send), new Block(scratch, 0, count));
        Operation[][] pairs = new Operation[size][];
        for (int step = 1; step < size + WINDOW; step++) {
            int due = step - WINDOW;
            if (due > 0) {
                peers.awaitAll(pairs[due]);
                op.combine(scratch, room(due) * count, scratch, 0, count);
            }
            if (step < size) {
                int to = (rank + step) % size;
                pairs[step] = peers.exchange(
                        (rank + size - step) % size, scratch.sink(room(step) * count, count),
                        to, blocks.of(to, send).content());
            }
        }
        // Only now: the receive region may be part of what was sent.
        scratch.moveTo(0, receive, 0, count);
    }

    /** Place of a step's incoming block in the scratch, behind the sum at 0. */
    private static int room(int step) {
        return 1 + (step - 1) % WINDOW;
    }
}
