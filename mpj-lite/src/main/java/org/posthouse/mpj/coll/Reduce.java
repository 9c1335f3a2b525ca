package org.posthouse.mpj.coll;

import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;

/**
 * Reduce: up a flat or a binomial tree, or for large data along a chain in segments. If the operation commutes, each
 * site's values leave it once, already combined. If not, the plain rank order decides the shape, and the result goes
 * from rank 0 to the root.
 */
public final class Reduce {
    private Reduce() {}

    /**
     * Combines {@code count} elements of all ranks at the root.
     *
     * @param send every rank's elements; never changed
     * @param receive the result; used at the root only, and may be the same region as {@code send}
     */
    public static void run(Peers peers, Region send, Region receive, int count, Reduction op, int root)
            throws ReceiveException {
        peers.begin();
        Region mine = peers.compact(op, send, count);
        boolean isCopy = mine != send;
        phase(peers, mine, isCopy ? mine : receive, count, op, root);
        if (isCopy && peers.rank() == root) {
            peers.attempt(() -> receive.take(mine, count));
        }
        peers.end();
    }

    static void phase(Peers peers, Region send, Region receive, int count, Reduction op, int root) {
        if (peers.size() == 1) {
            peers.keep(new Block(send, 0, count), new Block(receive, 0, count));
            return;
        }
        int top = op.commutes() ? root : 0;
        boolean atTop = peers.rank() == top;
        // Ranks other than the root may have no receive region, and rank 0 needs room for what it forwards.
        Region result = atTop && top != root ? peers.scratch(send, count) : receive;
        // Operations work on arrays only.
        Region mine = peers.room(send, () -> send.inArray(count));
        switch (peers.algorithms().reduce(peers.call(send.bytes(count), op.commutes()))) {
            case FLAT -> up(peers, flat(peers, top, op), mine, result, count, op);
            case BINOMIAL -> up(peers, binomial(peers, top, op), mine, result, count, op);
            case CHAIN -> new Chain(peers, towards(peers, top, op)).reduce(mine, result, count, op);
        }
        if (atTop && top != root) {
            peers.await(peers.send(root, peers.content(result, 0, count)));
        } else if (peers.rank() == root && top != root) {
            peers.await(peers.receive(top, receive.exactSink(0, count)));
        } else if (atTop) {
            // An operation may have stored an object of the program in place of its result.
            peers.attempt(() -> receive.disown(mine, count));
        }
    }

    private static Tree flat(Peers peers, int top, Reduction op) {
        return op.commutes() ? Tree.flat(peers, top) : Tree.orderedFlat(peers);
    }

    private static Tree binomial(Peers peers, int top, Reduction op) {
        return op.commutes() ? Tree.binomial(peers, top) : Tree.ordered(peers);
    }

    /** A chain that ends at {@code top}: site by site, or against the rank order if the operation needs it. */
    private static int[] towards(Peers peers, int top, Reduction op) {
        int size = peers.size();
        int[] outwards = op.commutes() ? peers.inSiteOrder(top) : null;
        int[] order = new int[size];
        for (int i = 0; i < size; i++) {
            order[i] = outwards == null ? size - 1 - i : outwards[size - 1 - i];
        }
        return order;
    }

    /**
     * Combines what the children send, from the nearest, which is ready first, to the farthest; that is also the rank
     * order. Each child has a room of its own, and all are awaited at once. If rooms would be mostly gaps there are
     * two.
     */
    private static void up(Peers peers, Tree tree, Region mine, Region result, int count, Reduction op) {
        int[] children = tree.children();
        Region[] rooms = new Region[children.length];
        Operation[] receives = new Operation[children.length];
        int next = children.length - 1;
        for (int ahead = mine.hasGaps() ? 2 : children.length; ahead > 0 && next >= 0; ahead--) {
            rooms[next] = peers.scratch(mine, count);
            receives[next] = peers.receive(children[next], rooms[next].exactSink(0, count));
            next--;
        }
        Region sum = mine;
        for (int i = children.length - 1; i >= 0; i--) {
            peers.await(receives[i]);
            peers.combine(op, sum, 0, rooms[i], 0, count);
            Region free = sum;
            sum = rooms[i];
            if (next >= 0 && i < children.length - 1) {
                rooms[next] = free;
                receives[next] = peers.receive(children[next], free.exactSink(0, count));
                next--;
            }
        }
        if (tree.parent() == Tree.NONE) {
            peers.move(sum, 0, result, 0, count);
        } else {
            peers.await(peers.send(tree.parent(), peers.content(sum, 0, count)));
        }
    }
}
