package org.posthouse.tunnel;

import java.util.ArrayDeque;
import java.util.List;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.WireException;

/**
 * What is on its way on a lane that goes a way of its own, and how much of it may be. The other end says, on that lane, how many bytes of bulk have come there (LINK_CAME),
 * whatever else waits for its turn: so a fast way is not taken for as slow as another one. Confined to its window; pure.
 *
 * <p>A lane keeps its order. Counts are of bytes as they go, from the lane's beginning:
 * <pre>
 *   0 ...... come in whole frames ...... come ...... written
 *                                  (a part of one )[ on its way )
 * </pre>
 */
final class LanePace {
    private final LinkGovernor governor = new LinkGovernor();

    /** Not known to have come, in the order in which they were written. */
    private final ArrayDeque<LinkFrame> frames = new ArrayDeque<>();

    private long whole;
    private long come;
    private long written;

    /** Whether another frame may be written. */
    boolean allows() {
        return governor.allows(written - whole);
    }

    /** These are written, and come together: one frame, or a run. @param learns whether the governor may learn from it */
    void write(List<LinkFrame> together, int wireBytes, boolean learns, long nowNanos) {
        LinkGovernor.Stamp stamp = learns ? governor.write(wireBytes, written - whole, nowNanos) : null;
        written += wireBytes;
        for (LinkFrame frame : together) {
            frame.stamp(stamp);
            frame.endsAt(written);
            frames.add(frame);
        }
    }

    /** The other end says that so many bytes have come. @throws WireException if they cannot, or it has said more before */
    void come(long bytes, long nowNanos) throws WireException {
        if (bytes < come || bytes > written) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED, "the peer has " + bytes + " bytes of bulk of a lane, expected " + come + " to " + written);
        }
        come = bytes;
        long before = whole;
        LinkGovernor.Stamp stamp = null;
        while (!frames.isEmpty() && frames.peek().end() <= come) {
            LinkFrame frame = frames.remove();
            frame.reach();
            stamp = frame.stamp();
            whole = frame.end();
        }
        governor.come(whole - before, come - whole, stamp, nowNanos);
    }

    /** Bytes written and not known to have come. */
    long underWay() {
        return written - come;
    }

    LinkGovernor governor() {
        return governor;
    }
}
