package org.posthouse.mpj.coll;

import org.posthouse.mpj.Operation;
import org.posthouse.mpj.ReceiveException;

/**
 * Nobody leaves before all have come: up and down a 4-ary tree with empty messages (P2P-MPI's choice; 2(n-1) messages,
 * fewer than dissemination, as all of them pass the relay).
 */
public final class Barrier {
    private Barrier() {}

    public static void run(Peers peers) throws ReceiveException {
        int tag = peers.nextTag();
        Tree tree = Tree.fourAry(peers, 0);
        int[] children = tree.children();
        Operation[] arrivals = new Operation[children.length];
        for (int i = 0; i < children.length; i++) {
            arrivals[i] = peers.receive(children[i], tag, Signal.EMPTY);
        }
        peers.awaitAll(arrivals);
        if (tree.parent() != Tree.NONE) {
            peers.awaitAll(peers.exchange(tree.parent(), Signal.EMPTY, tree.parent(), Signal.EMPTY, tag));
        }
        Operation[] releases = new Operation[children.length];
        for (int i = 0; i < children.length; i++) {
            releases[i] = peers.send(children[i], tag, Signal.EMPTY);
        }
        peers.awaitAll(releases);
    }
}
