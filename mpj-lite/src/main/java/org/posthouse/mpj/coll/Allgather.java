package org.posthouse.mpj.coll;

import org.posthouse.mpj.Operation;
import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.data.Region;

/**
 * Allgather and Allgatherv: small data and objects by Gather and Bcast (few messages), large data around a ring of all
 * ranks in site order (every rank gives and takes each block once). Either way all blocks enter each site once.
 */
public final class Allgather {
    /** From here on the ring: n-1 steps cost less than the second passage of all data through one rank. */
    static final int RING_BYTES_MIN = 256 * 1024;

    private Allgather() {}

    /**
     * Copies the first {@code count} elements of each rank to its block at every rank.
     *
     * @param receive may lie in the array of {@code send}
     */
    public static void run(Peers peers, Region send, int count, Region receive, Blocks blocks)
            throws ReceiveException {
        int size = peers.size();
        if (size > 2 && receive.bytes(blocks.total(size)) >= RING_BYTES_MIN) {
            send.deliver(0, count, receive, blocks.position(peers.rank()), blocks.count(peers.rank()));
            ring(peers, receive, blocks);
        } else if (blocks.areAdjacent(size)) {
            Gather.run(peers, send, count, receive, blocks, 0);
            Broadcast.run(peers, receive, blocks.total(size), 0);
        } else {
            packed(peers, send, count, receive, blocks);
        }
    }

    private static void ring(Peers peers, Region receive, Blocks blocks) throws ReceiveException {
        int tag = peers.nextTag();
        int size = peers.size();
        int[] order = peers.inSiteOrder(0);
        int at = Tree.position(order, peers.rank());
        int before = order[(at + size - 1) % size];
        int after = order[(at + 1) % size];
        Operation[] receives = new Operation[size];
        Operation[] sends = new Operation[size];
        for (int step = 1; step < size; step++) {
            int block = order[(at + size - step) % size];
            receives[step] = peers.receive(before, tag, receive.sink(blocks.position(block), blocks.count(block)));
        }
        for (int step = 1; step < size; step++) {
            int block = order[(at + size - step + 1) % size];
            peers.await(receives[step - 1]);
            sends[step] = peers.send(after, tag, receive.content(blocks.position(block), blocks.count(block)));
        }
        peers.await(receives[size - 1]);
        peers.awaitAll(sends);
    }

    /** Blocks with gaps or in another order travel packed, so that nothing between them is touched. */
    private static void packed(Peers peers, Region send, int count, Region receive, Blocks blocks)
            throws ReceiveException {
        int size = peers.size();
        Blocks packed = blocks.packed(size);
        Region scratch = receive.scratch(blocks.total(size));
        Gather.run(peers, send, count, scratch, packed, 0);
        Broadcast.run(peers, scratch, blocks.total(size), 0);
        for (int rank = 0; rank < size; rank++) {
            scratch.moveTo(packed.position(rank), receive, blocks.position(rank), blocks.count(rank));
        }
    }
}
