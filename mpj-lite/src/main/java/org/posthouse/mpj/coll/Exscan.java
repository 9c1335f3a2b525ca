package org.posthouse.mpj.coll;

import org.posthouse.mpj.Operation;
import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.data.Region;

/** Exscan: a Scan whose results move on by one rank. */
public final class Exscan {
    private Exscan() {}

    /** The regions may be the same. Rank 0's {@code receive} is not touched. */
    public static void run(Peers peers, Region send, Region receive, int count, Reduction op)
            throws ReceiveException {
        Region sum = send.scratch(count);
        Scan.run(peers, send, sum, count, op);
        int tag = peers.nextTag();
        int rank = peers.rank();
        Operation receiving = rank == 0 ? null : peers.receive(rank - 1, tag, receive.sink(0, count));
        Operation sending = rank == peers.size() - 1 ? null : peers.send(rank + 1, tag, sum.content(0, count));
        peers.awaitAll(receiving, sending);
    }
}
