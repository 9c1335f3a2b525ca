package org.posthouse.mpj.coll;

import org.posthouse.mpj.Operation;
import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.data.Region;

/**
 * Alltoall and Alltoallv: in step s each rank sends to the rank s places on and receives from the one s places back, so
 * that in no step two ranks send to the same one; a few steps are under way at once.
 */
public final class Alltoall {
    /** Steps under way at one rank. */
    private static final int WINDOW = 8;

    private Alltoall() {}

    /** The regions may lie in one array. */
    public static void run(Peers peers, Region send, Blocks sendBlocks, Region receive, Blocks receiveBlocks)
            throws ReceiveException {
        int tag = peers.nextTag();
        int size = peers.size();
        int rank = peers.rank();
        Region source = send;
        Blocks blocks = sendBlocks;
        if (send.sharesArrayWith(receive)) {
            blocks = sendBlocks.packed(size);
            source = packed(send, sendBlocks, blocks, size);
        }
        source.deliver(
                blocks.position(rank), blocks.count(rank),
                receive, receiveBlocks.position(rank), receiveBlocks.count(rank));
        Operation[][] pairs = new Operation[size][];
        for (int step = 1; step < size; step++) {
            int to = (rank + step) % size;
            int from = (rank + size - step) % size;
            if (step > WINDOW) {
                peers.awaitAll(pairs[step - WINDOW]);
            }
            pairs[step] = peers.exchange(
                    from, receive.sink(receiveBlocks.position(from), receiveBlocks.count(from)),
                    to, source.content(blocks.position(to), blocks.count(to)),
                    tag);
        }
        for (int step = Math.max(1, size - WINDOW); step < size; step++) {
            peers.awaitAll(pairs[step]);
        }
    }

    private static Region packed(Region send, Blocks blocks, Blocks packed, int size) {
        Region copy = send.scratch(blocks.total(size));
        for (int rank = 0; rank < size; rank++) {
            send.moveTo(blocks.position(rank), copy, packed.position(rank), blocks.count(rank));
        }
        return copy;
    }
}
