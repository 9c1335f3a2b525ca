package org.posthouse.mpj.coll;

import org.posthouse.mpj.Operation;
import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.data.Region;

/**
 * Scan (inclusive): small data by doubling the distance, in log n steps; large data along the chain of the ranks in
 * segments. Both keep the rank order.
 */
public final class Scan {
    private Scan() {}

    /** The regions may be the same. */
    public static void run(Peers peers, Region send, Region receive, int count, Reduction op)
            throws ReceiveException {
        int tag = peers.nextTag();
        int size = peers.size();
        send.deliver(0, count, receive, 0, count);
        if (size > 1 && Chain.pays(size, send.bytes(count))) {
            int[] order = new int[size];
            for (int rank = 0; rank < size; rank++) {
                order[rank] = rank;
            }
            new Chain(peers, tag, order).scan(receive, count, op);
            return;
        }
        Region came = send.scratch(count);
        for (int distance = 1; distance < size; distance *= 2) {
            int before = peers.rank() - distance;
            int after = peers.rank() + distance;
            Operation receiving = before < 0 ? null : peers.receive(before, tag, came.sink(0, count));
            Operation sending = after >= size ? null : peers.send(after, tag, receive.content(0, count));
            peers.awaitAll(receiving, sending);
            if (receiving != null) {
                op.combine(came, 0, receive, 0, count);
            }
        }
    }
}
