package org.posthouse.tunnel.window;

import java.util.ArrayDeque;
import java.util.List;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.WireException;

/**
 * The bytes in flight on a lane with its own path, and their limit. The other end reports on that lane how many bytes
 * of bulk have arrived on it (LINK_CAME), even if their frames wait for others. So a fast path is not considered as
 * slow as another one. Confined to its window; pure.
 *
 * <p>A lane preserves order. Counts are bytes on the wire, from the lane's beginning:
 * <pre>
 *   0 ...... come in whole frames ...... come ...... written
 *                                  (a part of one )[ on its way )
 * </pre>
 */
final class LanePace {
    private final CongestionControl governor = new CongestionControl();

    /** Frames not known to have arrived, in the order in which they were written. */
    private final ArrayDeque<LinkFrame> frames = new ArrayDeque<>();

    private long whole;
    private long come;
    private long written;

    /** Whether another frame may be written. */
    boolean allows() {
        return governor.allows(written - whole);
    }

    /**
     * Notes frames that are written and arrive together: one frame, or a run.
     *
     * @param learns whether the governor may learn from it
     */
    void write(List<LinkFrame> together, int wireBytes, boolean learns, long nowNanos) {
        CongestionControl.Stamp stamp = learns ? governor.write(wireBytes, written - whole, nowNanos) : null;
        written += wireBytes;
        for (LinkFrame frame : together) {
            frame.stamp(stamp);
            frame.endsAt(written);
            frames.add(frame);
        }
    }

    /**
     * Handles the other end's report that {@code bytes} bytes have arrived.
     *
     * @throws WireException if that is impossible, or less than before
     */
    void come(long bytes, long nowNanos) throws WireException {
        if (bytes < come || bytes > written) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED, "the peer has " + bytes + " bytes of bulk of a lane, expected " + come + " to " + written);
        }
        come = bytes;
        long before = whole;
        CongestionControl.Stamp stamp = null;
        while (!frames.isEmpty() && frames.peek().end() <= come) {
            LinkFrame frame = frames.remove();
            frame.reach();
            stamp = frame.stamp();
            whole = frame.end();
        }
        governor.come(whole - before, come - whole, stamp, nowNanos);
    }

    /** Bytes written and not known to have arrived. */
    long underWay() {
        return written - come;
    }

    CongestionControl governor() {
        return governor;
    }
}
