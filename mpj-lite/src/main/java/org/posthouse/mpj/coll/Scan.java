package org.posthouse.mpj.coll;

import java.util.stream.IntStream;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;

/**
 * Scan (inclusive) and Exscan (exclusive): small data by doubling the distance, in log n steps; large data along the
 * chain of the ranks in segments. Both keep the rank order.
 */
public final class Scan {
    private Scan() {}

    /** Combines the elements of the ranks up to and with the calling one. The regions may be the same. */
    public static void run(Peers peers, Region send, Region receive, int count, Reduction op)
            throws ReceiveException {
        peers.begin();
        Region fold = copyOf(peers, send, count, op);
        phase(peers, fold, null, count, op);
        peers.attempt(() -> receive.take(fold, count));
        peers.end();
    }

    /**
     * Combines the elements of the ranks before the calling one; rank 0's receive region is not touched. The regions
     * may be the same.
     */
    public static void runExclusive(Peers peers, Region send, Region receive, int count, Reduction op)
            throws ReceiveException {
        peers.begin();
        Region fold = copyOf(peers, send, count, op);
        Region before = peers.scratch(fold, count);
        phase(peers, fold, before, count, op);
        if (peers.rank() > 0) {
            peers.attempt(() -> receive.take(before, count));
        }
        peers.end();
    }

    private static Region copyOf(Peers peers, Region send, int count, Reduction op) {
        Region compact = peers.compact(op, send, count);
        return compact == send ? peers.copyOf(send, count) : compact;
    }

    /**
     * Combines in rank order.
     *
     * @param fold the rank's own elements; at the end combined with all before
     * @param exclusive gets the fold of the ranks before, if there are any; may be null
     */
    private static void phase(Peers peers, Region fold, Region exclusive, int count, Reduction op) {
        int size = peers.size();
        switch (peers.algorithms().scan(peers.call(fold.bytes(count), op.commutes()))) {
            case CHAIN -> new Chain(peers, IntStream.range(0, size).toArray()).scan(fold, exclusive, count, op);
            case DOUBLING -> doubling(peers, fold, exclusive, count, op);
        }
    }

    private static void doubling(Peers peers, Region fold, Region exclusive, int count, Reduction op) {
        Region came = peers.scratch(fold, count);
        for (int distance = 1; distance < peers.size(); distance *= 2) {
            int before = peers.rank() - distance;
            int after = peers.rank() + distance;
            Operation receiving = before < 0 ? null : peers.receive(before, came.exactSink(0, count));
            Operation sending = after >= peers.size() ? null : peers.send(after, peers.content(fold, 0, count));
            peers.awaitAll(receiving, sending);
            if (receiving != null) {
                // Received objects may stay in a fold and be changed there in a later step: the other fold has its own.
                boolean areObjects = came.bytes(count) == Region.BYTES_UNKNOWN;
                Region again = exclusive != null && areObjects ? peers.copyOf(came, count) : came;
                peers.combine(op, came, 0, fold, 0, count);
                if (exclusive != null && distance == 1) {
                    peers.move(again, 0, exclusive, 0, count);
                } else if (exclusive != null) {
                    peers.combine(op, again, 0, exclusive, 0, count);
                }
            }
        }
    }
}
