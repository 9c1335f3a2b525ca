package org.posthouse.tunnel.window;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.WireException;

/**
 * One of the two streams of frames, heads or bulk, that a link sends: which were written, have arrived, and are
 * acknowledged. Confined to its window, which reports the loss of lanes.
 *
 * <p>A frame gets its permanent number, from 0, when it is written for the first time. The counts are half-open ends:
 * <pre>
 *   0 ... acknowledged ... come ... written
 *         [ handled later  )[ on a lane, or to be written again )
 * </pre>
 */
final class SentStream {
    private final String name;

    /** [acknowledged, come) */
    private final ArrayDeque<LinkFrame> unhandled = new ArrayDeque<>();

    /** [come, written) */
    private final ArrayDeque<LinkFrame> underWay = new ArrayDeque<>();

    private long acknowledged;

    SentStream(String name) {
        this.name = name;
    }

    /** Numbers a frame that is written for the first time. */
    void write(LinkFrame frame, long after) {
        frame.number(written(), after);
        underWay.add(frame);
    }

    /** @throws WireException if the other end cannot have received or handled that many frames */
    void require(CloseReason closeReason, String what, long count, long from) throws WireException {
        if (count < from || count > written()) {
            throw new WireException(
                    closeReason, "the peer " + what + " " + count + " frames of " + name + ", expected " + from + " to " + written());
        }
    }

    /** The first frame that has not arrived. */
    LinkFrame first() {
        return underWay.getFirst();
    }

    /** Notes that {@link #first} has arrived. */
    LinkFrame arrive() {
        LinkFrame frame = underWay.remove();
        frame.came();
        unhandled.add(frame);
        return frame;
    }

    /** Notes that the first {@code count} frames have arrived and were handled. */
    void acknowledge(long count) {
        while (acknowledged < count) {
            unhandled.remove().acknowledged();
            acknowledged++;
        }
    }

    /**
     * Takes the frames on {@code lane} that are not known to have arrived off it, in order. {@link LinkFrame#NOWHERE}
     * means all lanes.
     */
    List<LinkFrame> takeOff(int lane) {
        List<LinkFrame> lost = new ArrayList<>();
        for (LinkFrame frame : underWay) {
            if (frame.lane() != LinkFrame.NOWHERE && (lane == LinkFrame.NOWHERE || frame.lane() == lane && !frame.isThere())) {
                frame.off();
                lost.add(frame);
            }
        }
        return lost;
    }

    /** Notes that the other end's received frames are known exactly. */
    void trust() {
        underWay.forEach(frame -> frame.doubt(false));
    }

    void clear() {
        unhandled.clear();
        underWay.clear();
        acknowledged = 0;
    }

    long acknowledged() {
        return acknowledged;
    }

    /** Number of frames that are known to have arrived. */
    long arrived() {
        return acknowledged + unhandled.size();
    }

    long written() {
        return acknowledged + unhandled.size() + underWay.size();
    }
}
