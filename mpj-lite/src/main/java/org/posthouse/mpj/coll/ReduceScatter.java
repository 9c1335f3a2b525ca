package org.posthouse.mpj.coll;

import java.util.Arrays;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;

/**
 * Reduce_scatter, and with even blocks Reduce_scatter_block: Reduce and Scatterv. Large data of a commutative operation
 * within one site use direct messages from rank to rank, each of which combines its own block only.
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
        int total = blocks.total(peers.size());
        long bytes = send.bytes(total);
        Region mine = peers.compact(op, send, total);
        switch (peers.algorithms().reduceScatter(peers.call(bytes, op.commutes()))) {
            case REDUCE_SCATTER -> overRoot(peers, mine, receive, blocks, op);
            case ROTATION -> rotation(peers, mine, receive, blocks, op);
        }
        peers.end();
    }

    private static void overRoot(Peers peers, Region send, Region receive, Blocks blocks, Reduction op) {
        int total = blocks.total(peers.size());
        Region sum = peers.rank() == 0 ? peers.scratch(send, total) : null;
        Reduce.phase(peers, send, sum, total, op, 0);
        Scatter.phase(peers, sum, blocks, receive, blocks.count(peers.rank()), 0);
    }

    private static void rotation(Peers peers, Region send, Region receive, Blocks blocks, Reduction op) {
        int size = peers.size();
        int rank = peers.rank();
        int count = blocks.count(rank);
        Region sum = peers.copyOf(blocks.of(rank, send));
        // One array for each step under way: together they may have more elements than an array can.
        Region[] rooms = new Region[Math.min(WINDOW, size - 1)];
        Arrays.setAll(rooms, room -> peers.scratch(sum, count));
        Operation[][] pairs = new Operation[size][];
        for (int step = 1; step < size + rooms.length; step++) {
            int due = step - rooms.length;
            if (due > 0) {
                peers.awaitAll(pairs[due]);
                peers.combine(op, rooms[due % rooms.length], 0, sum, 0, count);
            }
            if (step < size) {
                int to = (rank + step) % size;
                pairs[step] = peers.exchange(
                        (rank + size - step) % size, rooms[step % rooms.length].exactSink(0, count),
                        to, peers.content(blocks.of(to, send)));
            }
        }
        // Only now: the receive region may be part of what was sent.
        peers.attempt(() -> receive.take(sum, count));
    }
}
