package org.posthouse.mpj.coll;

import org.posthouse.mpj.data.Region;

/**
 * One rank's part in a butterfly. Partners at the distances 1, 2, 4 … exchange values and combine them, lower op upper,
 * which keeps the rank order.
 *
 * <p>There are n = 2^k + rest ranks. Each odd rank below 2 * rest first gives its values to the even one before it, and
 * gets the result at the end. The 2^k others have a place. For one operation.
 */
final class Butterfly {
    private final Peers peers;
    private final int count;
    private final Reduction op;
    /** Ranks below this one share a place with their neighbour. */
    private final int paired;

    private final int places;
    private final int place;
    private final Region send;
    /** The rank's values as far as they are combined; and room for a partner's. */
    private Region sum;

    private Region came;

    Butterfly(Peers peers, Region send, int count, Reduction op) {
        this.peers = peers;
        this.count = count;
        this.op = op;
        this.send = send;
        places = Integer.highestOneBit(peers.size());
        paired = 2 * (peers.size() - places);
        place = peers.rank() < paired ? peers.rank() / 2 : peers.rank() - paired / 2;
    }

    private interface Steps {
        void run();
    }

    /** All values are exchanged in each of k steps. */
    void doubling(Region receive) {
        run(receive, this::doubling);
    }

    /**
     * In each of k steps a place gives half of its values to its partner, which is responsible for them from then on.
     * When all are combined they return the same way. (Rabenseifner, "Optimization of Collective Reduction Operations",
     * 2004; here the nearest partner is the first, to keep the order.)
     */
    void halving(Region receive) {
        run(receive, this::halving);
    }

    private void run(Region receive, Steps steps) {
        boolean hasPair = peers.rank() < paired;
        if (hasPair && peers.rank() % 2 == 1) {
            peers.await(peers.send(peers.rank() - 1, peers.content(send, 0, count)));
            peers.await(peers.receive(peers.rank() - 1, receive.exactSink(0, count)));
            return;
        }
        sum = peers.copyOf(send, count);
        came = peers.scratch(send, count);
        if (hasPair) {
            peers.await(peers.receive(peers.rank() + 1, came.exactSink(0, count)));
            peers.combine(op, sum, 0, came, 0, count);
            swap();
        }
        steps.run();
        peers.move(sum, 0, receive, 0, count);
        if (hasPair) {
            peers.await(peers.send(peers.rank() + 1, peers.content(sum, 0, count)));
        }
    }

    private void swap() {
        Region swap = sum;
        sum = came;
        came = swap;
    }

    private int partner(int distance) {
        int other = place ^ distance;
        return other < paired / 2 ? 2 * other : other + paired / 2;
    }

    /** Whether the calling rank's values are those of the lower ranks. */
    private boolean isLower(int distance) {
        return (place & distance) == 0;
    }

    private void doubling() {
        for (int distance = 1; distance < places; distance *= 2) {
            exchange(distance, came, 0, count, 0, count);
            if (isLower(distance)) {
                peers.combine(op, sum, 0, came, 0, count);
                swap();
            } else {
                peers.combine(op, came, 0, sum, 0, count);
            }
        }
    }

    private void halving() {
        int from = 0;
        int width = places;
        for (int distance = 1; distance < places; distance *= 2) {
            width /= 2;
            int kept = isLower(distance) ? from : from + width;
            int given = isLower(distance) ? from + width : from;
            exchange(distance, came, start(kept), length(kept, width), start(given), length(given, width));
            combine(isLower(distance), start(kept), length(kept, width));
            from = kept;
        }
        for (int distance = places / 2; distance >= 1; distance /= 2) {
            int others = isLower(distance) ? from + width : from - width;
            exchange(distance, sum, start(others), length(others, width), start(from), length(from, width));
            from = Math.min(from, others);
            width *= 2;
        }
    }

    /** Combines part of what came into the same part of the sum. */
    private void combine(boolean isLower, int at, int length) {
        if (isLower) {
            peers.combine(op, sum, at, came, at, length);
            peers.move(came, at, sum, at, length);
        } else {
            peers.combine(op, came, at, sum, at, length);
        }
    }

    private void exchange(int distance, Region room, int roomAt, int roomLength, int at, int length) {
        int partner = partner(distance);
        peers.awaitAll(peers.exchange(partner, room.exactSink(roomAt, roomLength), partner, peers.content(sum, at, length)));
    }

    /** First element of the values' part with this number, of as many parts as there are places. */
    private int start(int part) {
        return (int) ((long) count * part / places);
    }

    private int length(int part, int parts) {
        return start(part + parts) - start(part);
    }
}
