package org.posthouse.mpj.coll;

import org.posthouse.mpj.Content;
import org.posthouse.mpj.Operation;
import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.data.Region;

/** Bcast: a flat or a binomial tree, or for large data a chain in segments; all enter each site once. */
public final class Broadcast {
    private Broadcast() {}

    /**
     * Copies {@code count} elements of the root's region to all others'. The others' count and datatype may differ, if
     * they make the same sequence of data elements.
     */
    public static void run(Peers peers, Region region, int count, int root) throws ReceiveException {
        peers.begin();
        phase(peers, region, count, root);
        peers.end();
    }

    static void phase(Peers peers, Region region, int count, int root) {
        if (peers.size() == 1) {
            return;
        }
        switch (peers.algorithms().bcast(peers.call(region.bytes(count), true))) {
            case FLAT -> overTree(peers, Tree.flat(peers, root), region, count);
            case BINOMIAL -> overTree(peers, Tree.binomial(peers, root), region, count);
            case CHAIN -> {
                Region data = region.inDataElements();
                new Chain(peers, peers.inSiteOrder(root)).broadcast(data, region.dataElements(count));
            }
        }
    }

    private static void overTree(Peers peers, Tree tree, Region region, int count) {
        if (tree.parent() == Tree.NONE) {
            sendAll(peers, tree.children(), peers.content(region, 0, count));
        } else if (tree.children().length > 0 && region.bytes(count) == Region.BYTES_UNKNOWN) {
            pass(peers, tree, new Passed(region.exactSink(0, count)));
        } else {
            peers.await(peers.receive(tree.parent(), region.exactSink(0, count)));
            if (tree.children().length > 0) {
                sendAll(peers, tree.children(), peers.content(region, 0, count));
            }
        }
    }

    private static void pass(Peers peers, Tree tree, Passed message) {
        Operation receive = peers.receive(tree.parent(), message);
        peers.await(receive);
        sendAll(peers, tree.children(), message);
        if (receive.failure() == null) {
            peers.attempt(message::store);
        }
    }

    private static void sendAll(Peers peers, int[] children, Content content) {
        Operation[] sends = new Operation[children.length];
        for (int i = 0; i < sends.length; i++) {
            sends[i] = peers.send(children[i], content);
        }
        peers.awaitAll(sends);
    }
}
