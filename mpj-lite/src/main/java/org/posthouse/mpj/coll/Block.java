package org.posthouse.mpj.coll;

import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.Sink;

/**
 * The elements of one message: {@code count} elements of a region from position {@code at} on. Immutable. Blocks
 * received in one collective may not overlap.
 */
public record Block(Region region, int at, int count) {
    Sink sink() {
        return region.sink(at, count);
    }

    /** Stores the block in {@code target} as a message would. */
    void deliver(Block target) throws ReceiveException {
        region.deliver(at, count, target.region, target.at, target.count);
    }

    /** The blocks to send. A block that a receive into the others could change is copied. */
    static Block[] safeFrom(Peers peers, Block[] receive, Block[] send) {
        Block[] safe = send.clone();
        for (int i = 0; i < send.length; i++) {
            for (Block other : receive) {
                if (send[i] != null && other != null && send[i].region.sharesArrayWith(other.region)) {
                    safe[i] = peers.packed(send[i]);
                    break;
                }
            }
        }
        return safe;
    }
}
