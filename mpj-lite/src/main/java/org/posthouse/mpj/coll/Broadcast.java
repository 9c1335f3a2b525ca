package org.posthouse.mpj.coll;

import org.posthouse.mpj.Content;
import org.posthouse.mpj.Operation;
import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.data.Region;

/** Bcast: a binomial tree, or for large data a chain in segments; both enter each site once. */
public final class Broadcast {
    private Broadcast() {}

    /** Copies {@code count} elements of the root's region to all others'. */
    public static void run(Peers peers, Region region, int count, int root) throws ReceiveException {
        if (peers.size() == 1) {
            return;
        }
        int tag = peers.nextTag();
        if (Chain.pays(peers.size(), region.bytes(count))) {
            new Chain(peers, tag, peers.inSiteOrder(root)).broadcast(region, count);
        } else {
            overTree(peers, tag, region, count, root);
        }
    }

    private static void overTree(Peers peers, int tag, Region region, int count, int root) throws ReceiveException {
        Tree tree = Tree.binomial(peers, root);
        if (tree.parent() != Tree.NONE) {
            peers.await(peers.receive(tree.parent(), tag, region.sink(0, count)));
        }
        if (tree.children().length == 0) {
            return;
        }
        Content content = region.content(0, count);
        Operation[] sends = new Operation[tree.children().length];
        for (int i = 0; i < sends.length; i++) {
            sends[i] = peers.send(tree.children()[i], tag, content);
        }
        peers.awaitAll(sends);
    }
}
