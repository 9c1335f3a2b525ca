package org.posthouse.mpj.coll;

import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;

/**
 * Allgather and Allgatherv. Small data and objects use Gather and Bcast (few messages). Large data go around a ring of
 * all ranks in site order (every rank sends and receives each block once). Either way all blocks enter each site once.
 */
public final class Allgather {
    private Allgather() {}

    /**
     * Copies the first {@code count} elements of each rank to its block at every rank.
     *
     * @param receive may lie in the array of {@code send}
     */
    public static void run(Peers peers, Region send, int count, Region receive, Blocks blocks)
            throws ReceiveException {
        peers.begin();
        Block own = new Block(send, 0, count);
        long bytes = receive.bytes(blocks.total(peers.size()));
        switch (peers.algorithms().allgather(peers.call(bytes, true))) {
            case GATHER_BCAST -> gather(peers, own, receive, blocks);
            case BRUCK -> bruck(peers, own, receive, blocks);
            case RING -> ring(peers, own, receive, blocks);
        }
        peers.end();
    }

    private static void ring(Peers peers, Block own, Region receive, Blocks blocks) {
        peers.keep(own, blocks.of(peers.rank(), receive));
        int size = peers.size();
        int[] order = peers.inSiteOrder(0);
        int at = Tree.position(order, peers.rank());
        int before = order[(at + size - 1) % size];
        int after = order[(at + 1) % size];
        Operation[] receives = new Operation[size];
        Operation[] sends = new Operation[size];
        for (int step = 1; step < size; step++) {
            receives[step] = peers.receive(before, blocks.of(order[(at + size - step) % size], receive).sink());
        }
        for (int step = 1; step < size; step++) {
            peers.await(receives[step - 1]);
            Block next = blocks.of(order[(at + size - step + 1) % size], receive);
            sends[step] = peers.send(after, peers.content(next));
        }
        peers.await(receives[size - 1]);
        peers.awaitAll(sends);
    }

    /** Blocks with gaps or in another order are packed, so that nothing between them is touched. */
    private static void gather(Peers peers, Block own, Region receive, Blocks blocks) {
        int size = peers.size();
        int total = blocks.total(size);
        boolean inPlace = blocks.areAdjacent(size);
        Region room = inPlace ? receive : peers.scratch(receive, total);
        Blocks places = inPlace ? blocks : blocks.packed(size);
        Gather.phase(peers, own.region(), own.count(), room, places, 0);
        Broadcast.phase(peers, room, total, 0);
        for (int rank = 0; rank < size && !inPlace; rank++) {
            peers.move(room, places.position(rank), receive, blocks.position(rank), blocks.count(rank));
        }
    }

    /**
     * In log n steps each rank receives from the rank 1, 2, 4 … places on as many blocks as it has. The room holds the
     * own block, then those of the next ranks. (Bruck et al., "Efficient Algorithms for All-to-All Communications",
     * 1997.)
     */
    private static void bruck(Peers peers, Block own, Region receive, Blocks blocks) {
        int size = peers.size();
        int rank = peers.rank();
        int[] starts = new int[size + 1];
        for (int i = 0; i < size; i++) {
            int length = receive.dataElements(blocks.count((rank + i) % size));
            starts[i + 1] = Math.addExact(starts[i], length);
        }
        Region room = peers.packedScratch(receive, starts[size]);
        peers.keep(own, new Block(room, 0, starts[1]));
        for (int have = 1; have < size; have *= 2) {
            int more = Math.min(have, size - have);
            Block lacking = new Block(room, starts[have], starts[have + more] - starts[have]);
            Block given = new Block(room, 0, starts[more]);
            int from = (rank + have) % size;
            int to = (rank + size - have) % size;
            peers.awaitAll(peers.exchange(from, lacking.sink(), to, peers.content(given)));
        }
        for (int i = 0; i < size; i++) {
            int block = (rank + i) % size;
            peers.unpack(room, starts[i], receive, blocks.position(block), blocks.count(block));
        }
    }
}
