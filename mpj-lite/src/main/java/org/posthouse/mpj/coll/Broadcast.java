package org.posthouse.mpj.coll;

import java.util.Arrays;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;

/**
 * Bcast: a flat or a binomial tree, or for large data a chain in segments; all enter each site once.
 *
 * <p>A rank's own count is only a maximum: the arriving message decides. So a rank first waits in the tree of the
 * shortest broadcasts, which follows from the number of ranks alone. If the root's message uses another path, a rank
 * that is no neighbour of its sender there first gets an announcement ({@link BroadcastHead}). The announcement has the
 * length, which decides the path.
 */
public final class Broadcast {
    private Broadcast() {}

    /**
     * Copies {@code count} elements of the root's region to all others'. The others' count may be larger. Their
     * datatype may be another one with the same sequence of data elements.
     */
    public static void run(Peers peers, Region region, int count, int root) throws ReceiveException {
        peers.begin();
        upTo(peers, region, count, root);
        peers.end();
    }

    /** As {@link #run}, as a part of a collective that is under way. */
    static void upTo(Peers peers, Region region, int count, int root) {
        if (peers.size() == 1) {
            return;
        }
        boolean objects = region.bytes(count) == Region.BYTES_UNKNOWN;
        Algorithms.ForBcast shortest = peers.algorithms().bcast(peers.call(objects ? Region.BYTES_UNKNOWN : 0, true));
        Tree first = tree(peers, shortest, root);
        if (objects) {
            objects(peers, first, region, count);
            return;
        }
        BroadcastHead head = first.parent() == Tree.NONE ? BroadcastHead.of(region, count) : new BroadcastHead(region.sink(0, count));
        if (first.parent() != Tree.NONE) {
            peers.await(peers.receive(first.parent(), head));
        }
        Algorithms.ForBcast chosen = head.isSpoiled() ? shortest : peers.algorithms().bcast(peers.call(head.message().bytes(), true));
        if (chosen == Algorithms.ForBcast.CHAIN) {
            sendAll(peers, first.children(), head);
            overChain(peers, region, count, root, head.message());
        } else {
            overTree(peers, first, chosen == shortest ? first : tree(peers, chosen, root), region, count, head);
        }
    }

    private static Tree tree(Peers peers, Algorithms.ForBcast algorithm, int root) {
        return algorithm == Algorithms.ForBcast.BINOMIAL ? Tree.binomial(peers, root) : Tree.flat(peers, root);
    }

    private static void overTree(Peers peers, Tree first, Tree tree, Region region, int count, BroadcastHead head) {
        Operation[] announcements = tree == first ? new Operation[0] : sends(peers, without(first.children(), tree.children()), head);
        if (head.isAnnouncement() && tree.parent() != Tree.NONE) {
            peers.await(peers.receive(tree.parent(), region.sink(0, count)));
        }
        if (tree.children().length > 0) {
            // After a message that did not fit, SPOILED messages are sent.
            Region data = region.inDataElements();
            int elements = head.isSpoiled() ? 0 : (int) Math.min(data.elements(head.message()), Integer.MAX_VALUE);
            sendAll(peers, tree.children(), peers.content(data, 0, elements));
        }
        peers.awaitAll(announcements);
    }

    /** The children that do not get the data as their first message from this rank. */
    private static int[] without(int[] children, int[] others) {
        return Arrays.stream(children).filter(child -> Arrays.stream(others).noneMatch(other -> other == child)).toArray();
    }

    /** A message that does not fit is forwarded along the chain as SPOILED, and is stored nowhere. */
    private static void overChain(Peers peers, Region region, int count, int root, Envelope message) {
        Chain chain = new Chain(peers, peers.inSiteOrder(root));
        Region data = region.inDataElements();
        boolean fits = true;
        try {
            if (peers.rank() != root) {
                region.sink(0, count).begin(message);
            }
        } catch (ReceiveException e) {
            peers.failed(e);
            fits = false;
        }
        if (fits) {
            chain.broadcast(data, Math.toIntExact(data.elements(message)));
        } else {
            chain.broadcast(new Region(Base.of(message.datatype()), Layout.ONE, null, 0), message.elements());
        }
    }

    private static void objects(Peers peers, Tree tree, Region region, int count) {
        if (tree.parent() == Tree.NONE) {
            sendAll(peers, tree.children(), peers.content(region, 0, count));
        } else if (tree.children().length > 0) {
            pass(peers, tree, new RelayedBlock(region.sink(0, count)));
        } else {
            peers.await(peers.receive(tree.parent(), region.sink(0, count)));
        }
    }

    /** The last part of another collective, in which all ranks have the same count. */
    static void phase(Peers peers, Region region, int count, int root) {
        if (peers.size() == 1) {
            return;
        }
        switch (peers.algorithms().bcast(peers.call(region.bytes(count), true))) {
            case FLAT -> exactly(peers, Tree.flat(peers, root), region, count);
            case BINOMIAL -> exactly(peers, Tree.binomial(peers, root), region, count);
            case CHAIN -> {
                Region data = region.inDataElements();
                new Chain(peers, peers.inSiteOrder(root)).broadcast(data, region.dataElements(count));
            }
        }
    }

    private static void exactly(Peers peers, Tree tree, Region region, int count) {
        if (tree.parent() == Tree.NONE) {
            sendAll(peers, tree.children(), peers.content(region, 0, count));
        } else if (tree.children().length > 0 && region.bytes(count) == Region.BYTES_UNKNOWN) {
            pass(peers, tree, new RelayedBlock(region.exactSink(0, count)));
        } else {
            peers.await(peers.receive(tree.parent(), region.exactSink(0, count)));
            if (tree.children().length > 0) {
                sendAll(peers, tree.children(), peers.content(region, 0, count));
            }
        }
    }

    private static void pass(Peers peers, Tree tree, RelayedBlock message) {
        Operation receive = peers.receive(tree.parent(), message);
        peers.await(receive);
        sendAll(peers, tree.children(), message);
        if (receive.failure() == null) {
            peers.attempt(message::store);
        }
    }

    private static void sendAll(Peers peers, int[] children, Content content) {
        peers.awaitAll(sends(peers, children, content));
    }

    private static Operation[] sends(Peers peers, int[] children, Content content) {
        Operation[] sends = new Operation[children.length];
        for (int i = 0; i < sends.length; i++) {
            sends[i] = peers.send(children[i], content);
        }
        return sends;
    }
}
