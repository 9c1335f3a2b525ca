package org.posthouse.mpj.coll;

import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.data.Region;

/** Exscan: as {@link Scan}, in the same steps, but each rank gets the fold of the ranks before it. */
public final class Exscan {
    private Exscan() {}

    /** The regions may be the same. Rank 0's {@code receive} is not touched. */
    public static void run(Peers peers, Region send, Region receive, int count, Reduction op)
            throws ReceiveException {
        peers.begin();
        Region before = send.scratch(count);
        Scan.phase(peers, peers.copyOf(send, count), before, count, op);
        if (peers.rank() > 0) {
            before.moveTo(0, receive, 0, count);
        }
        peers.end();
    }
}
