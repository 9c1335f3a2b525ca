package org.posthouse.mpj.coll;

import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;

/**
 * Allreduce, in one of these ways. In general it is a Reduce and a Bcast, which enter and leave each site once. Large
 * values use halving and doubling. Two ranks use one exchange. Small values on several sites use one exchange between
 * the sites.
 *
 * <p>All ranks get the same bits: every value is combined at one rank, or by the same steps at several.
 */
public final class Allreduce {
    private Allreduce() {}

    /** The regions may be the same. */
    public static void run(Peers peers, Region send, Region receive, int count, Reduction op)
            throws ReceiveException {
        peers.begin();
        Region mine = peers.compact(op, send, count);
        if (mine == send) {
            phase(peers, send, receive, count, op);
        } else {
            phase(peers, mine, mine, count, op);
            peers.attempt(() -> receive.take(mine, count));
        }
        peers.end();
    }

    private static void phase(Peers peers, Region send, Region receive, int count, Reduction op) {
        if (peers.size() == 1) {
            peers.keep(new Block(send, 0, count), new Block(receive, 0, count));
            return;
        }
        switch (peers.algorithms().allreduce(peers.call(send.bytes(count), op.commutes()))) {
            case DOUBLING -> new Butterfly(peers, send, count, op).doubling(receive);
            case HALVING -> new Butterfly(peers, send, count, op).halving(receive);
            case SITES -> overSites(peers, send, receive, count, op);
            case REDUCE_BCAST -> {
                Reduce.phase(peers, send, receive, count, op, 0);
                Broadcast.phase(peers, receive, count, 0);
            }
        }
    }

    /** A Reduce and a Bcast within each site, and between them one exchange of all sites' leaders. */
    private static void overSites(Peers peers, Region send, Region receive, int count, Reduction op) {
        Peers site = peers.among(peers.ofSite(peers.site(peers.rank())));
        Reduce.phase(site, send, receive, count, op, 0);
        if (site.rank() == 0) {
            exchange(peers.among(peers.siteLeaders()), receive, count, op);
        }
        Broadcast.phase(site, receive, count, 0);
    }

    /** Every leader gets all others' values, and combines them in the same order. */
    private static void exchange(Peers leaders, Region values, int count, Reduction op) {
        int size = leaders.size();
        Region[] rooms = new Region[size];
        Operation[] pairs = new Operation[2 * size];
        for (int step = 0; step < size; step++) {
            int other = (leaders.rank() + step) % size;
            rooms[other] = step == 0 ? leaders.copyOf(values, count) : leaders.scratch(values, count);
            if (step > 0) {
                pairs[step] = leaders.receive(other, rooms[other].exactSink(0, count));
            }
        }
        for (int step = 1; step < size; step++) {
            pairs[size + step] = leaders.send((leaders.rank() + step) % size, leaders.content(values, 0, count));
        }
        leaders.awaitAll(pairs);
        for (int i = 1; i < size; i++) {
            leaders.combine(op, rooms[i - 1], 0, rooms[i], 0, count);
        }
        leaders.move(rooms[size - 1], 0, values, 0, count);
    }
}
