package org.posthouse.mpj.coll;

import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.data.Region;

/**
 * Allreduce: small values by recursive doubling, everything else as Reduce and Bcast, which for large data are chains
 * in segments, and which enter and leave each site once. All ranks get the same bits: in recursive doubling both
 * partners compute lower op upper.
 */
public final class Allreduce {
    /** Up to here the number of steps counts, not that of messages. */
    static final int DOUBLING_BYTES_MAX = 16 * 1024;

    private Allreduce() {}

    /** The regions may be the same. */
    public static void run(Peers peers, Region send, Region receive, int count, Reduction op)
            throws ReceiveException {
        long bytes = send.bytes(count);
        if (peers.size() == 1) {
            send.deliver(0, count, receive, 0, count);
        } else if (!peers.spanSites() && bytes != Region.BYTES_UNKNOWN && bytes <= DOUBLING_BYTES_MAX) {
            doubling(peers, send, receive, count, op);
        } else {
            Reduce.run(peers, send, receive, count, op, 0);
            Broadcast.run(peers, receive, count, 0);
        }
    }

    /**
     * With n = 2^k + rest ranks, each odd rank below 2 * rest first hands its values to the even one before it, and
     * gets the result from it at the end. The 2^k others double the range of ranks that they have combined, k times.
     */
    private static void doubling(Peers peers, Region send, Region receive, int count, Reduction op)
            throws ReceiveException {
        int tag = peers.nextTag();
        int rank = peers.rank();
        int paired = 2 * (peers.size() - Integer.highestOneBit(peers.size()));
        if (rank < paired && rank % 2 == 1) {
            peers.await(peers.send(rank - 1, tag, send.content(0, count)));
            peers.await(peers.receive(rank - 1, tag, receive.sink(0, count)));
            return;
        }
        Region sum = send.scratch(count);
        Region came = send.scratch(count);
        send.moveTo(0, sum, 0, count);
        if (rank < paired) {
            peers.await(peers.receive(rank + 1, tag, came.sink(0, count)));
            op.combine(send, 0, came, 0, count);
            came.moveTo(0, sum, 0, count);
        }
        int place = rank < paired ? rank / 2 : rank - paired / 2;
        for (int step = 1; step < Integer.highestOneBit(peers.size()); step *= 2) {
            int other = place ^ step;
            int partner = other < paired / 2 ? 2 * other : other + paired / 2;
            peers.awaitAll(peers.exchange(partner, came.sink(0, count), partner, sum.content(0, count), tag));
            if (other < place) {
                op.combine(came, 0, sum, 0, count);
            } else {
                op.combine(sum, 0, came, 0, count);
                Region swap = sum;
                sum = came;
                came = swap;
            }
        }
        sum.moveTo(0, receive, 0, count);
        if (rank < paired) {
            peers.await(peers.send(rank + 1, tag, sum.content(0, count)));
        }
    }
}
