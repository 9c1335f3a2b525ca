package org.posthouse.mpj.coll;

import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.Sink;
import org.posthouse.mpj.data.Region;

/**
 * What one message carries: {@code count} elements of a region from position {@code at} on. Immutable; of those that
 * are received in one collective, none may overlap.
 */
public record Block(Region region, int at, int count) {
    Sink sink() {
        return region.sink(at, count);
    }

    /** Does to {@code target} what a message would. */
    void deliver(Block target) throws ReceiveException {
        region.deliver(at, count, target.region, target.at, target.count);
    }

    /** The blocks to send, or copies of them where receiving into the others could change one. */
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
