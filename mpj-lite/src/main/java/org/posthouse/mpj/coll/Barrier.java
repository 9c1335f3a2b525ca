package org.posthouse.mpj.coll;

import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;

/** Barrier: no rank leaves before all have come, by empty messages. */
public final class Barrier {
    private Barrier() {}

    /** Returns when all ranks have called it. */
    public static void run(Peers peers) throws ReceiveException {
        peers.begin();
        switch (peers.algorithms().barrier(peers.call(0, true))) {
            case TREE -> tree(peers);
            case DISSEMINATION -> dissemination(peers);
        }
        peers.end();
    }

    /** Up and down a 4-ary tree (P2P-MPI's choice): 2(n-1) messages. */
    private static void tree(Peers peers) {
        Tree tree = Tree.fourAry(peers, 0);
        int[] children = tree.children();
        Operation[] arrivals = new Operation[children.length];
        for (int i = 0; i < children.length; i++) {
            arrivals[i] = peers.receive(children[i], EmptyMessage.EMPTY);
        }
        peers.awaitAll(arrivals);
        if (tree.parent() != Tree.NONE) {
            peers.awaitAll(peers.exchange(tree.parent(), EmptyMessage.EMPTY, tree.parent(), EmptyMessage.EMPTY));
        }
        Operation[] releases = new Operation[children.length];
        for (int i = 0; i < children.length; i++) {
            releases[i] = peers.send(children[i], EmptyMessage.EMPTY);
        }
        peers.awaitAll(releases);
    }

    /**
     * In log n rounds each rank hears of twice as many ranks before it. This takes n log n messages, and half the
     * tree's steps.
     */
    private static void dissemination(Peers peers) {
        int size = peers.size();
        for (int distance = 1; distance < size; distance *= 2) {
            int before = (peers.rank() + size - distance) % size;
            int after = (peers.rank() + distance) % size;
            peers.awaitAll(peers.exchange(before, EmptyMessage.EMPTY, after, EmptyMessage.EMPTY));
        }
    }
}
