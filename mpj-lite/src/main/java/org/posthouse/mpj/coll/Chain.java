package org.posthouse.mpj.coll;

import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Operation;

/**
 * Moves large data along a chain of all ranks, in segments, so that all ranks work at once. Every rank receives and
 * sends each byte once; a tree's root would send it log n times. Segment i follows segment 0, i steps later.
 */
final class Chain {
    /** Message bytes of a full segment: the payload of one frame. */
    static final int SEGMENT_BYTES = 64 * 1024;

    /**
     * Segments under way at one rank. The window hides a round trip to the relay. It bounds the scratch to 512 KiB, or
     * to this number of elements if one is larger than a segment.
     */
    private static final int WINDOW = 8;

    private final Peers peers;
    /** Neighbours in the chain, or {@link Tree#NONE}. */
    private final int before;

    private final int after;

    /** The calling rank's place in the chain of ranks in {@code order}, for one operation. */
    Chain(Peers peers, int[] order) {
        int at = Tree.position(order, peers.rank());
        this.peers = peers;
        before = at == 0 ? Tree.NONE : order[at - 1];
        after = at == order.length - 1 ? Tree.NONE : order[at + 1];
    }

    /**
     * Whether a chain of {@code ranks} is quicker than a binomial tree for a message of {@code bytes}: in steps of one
     * segment, the last one arrives after (ranks - 2 + segments) steps instead of (log ranks * segments).
     */
    static boolean pays(int ranks, long bytes) {
        long segments = (bytes + SEGMENT_BYTES - 1) / SEGMENT_BYTES;
        int rounds = Integer.SIZE - Integer.numberOfLeadingZeros(ranks - 1);
        return ranks > 1 && ranks - 2 + segments < rounds * segments;
    }

    /** Copies the first rank's elements, which are {@link Region#inDataElements data elements}, to all others. */
    void broadcast(Region region, int count) {
        Segments segments = new Segments(region, count);
        Operation[] receives = segments.receiveAhead(region);
        Operation[] sends = new Operation[WINDOW];
        for (int i = 0; i < segments.count; i++) {
            int slot = i % WINDOW;
            peers.await(receives[slot]);
            if (before != Tree.NONE && i + WINDOW < segments.count) {
                receives[slot] = segments.receive(region, segments.at(i + WINDOW), i + WINDOW);
            }
            if (after != Tree.NONE) {
                peers.await(sends[slot]);
                sends[slot] = segments.send(region, segments.at(i), i);
            }
        }
        peers.awaitAll(sends);
    }

    /**
     * Folds all ranks' elements into the last rank's {@code result}, from the chain's first rank on:
     * {@code mine op (what came)}. The result's array may be that of {@code mine}.
     *
     * @param result used at the last rank only
     */
    void reduce(Region mine, Region result, int count, Reduction op) {
        Segments segments = new Segments(mine, count);
        if (before == Tree.NONE) {
            giveAll(mine, segments);
            return;
        }
        Region scratch = peers.scratch(mine, Math.min(count, segments.length * WINDOW));
        Operation[] receives = segments.receiveAhead(scratch);
        Operation[] sends = new Operation[WINDOW];
        for (int i = 0; i < segments.count; i++) {
            int slot = i % WINDOW;
            int room = segments.at(slot);
            peers.await(receives[slot]);
            peers.combine(op, mine, segments.at(i), scratch, room, segments.length(i));
            if (after == Tree.NONE) {
                peers.move(scratch, room, result, segments.at(i), segments.length(i));
            } else {
                sends[slot] = segments.send(scratch, room, i);
            }
            if (i + WINDOW < segments.count) {
                peers.await(sends[slot]);
                receives[slot] = segments.receive(scratch, room, i + WINDOW);
            }
        }
        peers.awaitAll(sends);
    }

    /**
     * Folds all elements of the ranks before this one and its own, {@code (what came) op mine}, and passes that on.
     *
     * @param mine the rank's own; holds the fold at the end
     * @param exclusive gets what came; may be null, and is not touched at the chain's first rank
     */
    void scan(Region mine, Region exclusive, int count, Reduction op) {
        Segments segments = new Segments(mine, count);
        if (before == Tree.NONE) {
            giveAll(mine, segments);
            return;
        }
        Region scratch = peers.scratch(mine, Math.min(count, segments.length * WINDOW));
        Operation[] receives = segments.receiveAhead(scratch);
        Operation[] sends = new Operation[WINDOW];
        for (int i = 0; i < segments.count; i++) {
            int slot = i % WINDOW;
            peers.await(receives[slot]);
            peers.combine(op, scratch, segments.at(slot), mine, segments.at(i), segments.length(i));
            if (exclusive != null) {
                peers.move(scratch, segments.at(slot), exclusive, segments.at(i), segments.length(i));
            }
            if (i + WINDOW < segments.count) {
                receives[slot] = segments.receive(scratch, segments.at(slot), i + WINDOW);
            }
            if (after != Tree.NONE) {
                peers.await(sends[slot]);
                sends[slot] = segments.send(mine, segments.at(i), i);
            }
        }
        peers.awaitAll(sends);
    }

    private void giveAll(Region mine, Segments segments) {
        Operation[] sends = new Operation[WINDOW];
        for (int i = 0; i < segments.count; i++) {
            peers.await(sends[i % WINDOW]);
            sends[i % WINDOW] = segments.send(mine, segments.at(i), i);
        }
        peers.awaitAll(sends);
    }

    /**
     * The cut of a message into segments. A message that is only moved is cut at data elements, because the ranks'
     * datatypes may differ. A message that is reduced is cut at elements, which are alike at all ranks. An element
     * larger than a segment is one segment.
     */
    private final class Segments {
        final int elements;
        /** Elements of a full segment. */
        final int length;

        final int count;

        Segments(Region region, int elements) {
            this.elements = elements;
            length = (int) Math.max(1, SEGMENT_BYTES / region.bytes(1));
            count = (int) (((long) elements + length - 1) / length);
        }

        int at(int segment) {
            return segment * length;
        }

        int length(int segment) {
            return Math.min(length, elements - at(segment));
        }

        /** Begins to receive the first window, unless this is the chain's first rank. */
        Operation[] receiveAhead(Region region) {
            Operation[] receives = new Operation[WINDOW];
            for (int i = 0; before != Tree.NONE && i < Math.min(WINDOW, count); i++) {
                receives[i] = receive(region, at(i), i);
            }
            return receives;
        }

        Operation receive(Region region, int at, int segment) {
            return peers.receive(before, region.exactSink(at, length(segment)));
        }

        Operation send(Region region, int at, int segment) {
            return peers.send(after, peers.content(region, at, length(segment)));
        }
    }
}
