package org.posthouse.tunnel;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.WireException;

/**
 * One of the two streams of frames, heads or bulk, that a link sends: which were written, have come, and are acknowledged. Confined to its
 * window; knows no lane's fate but by what it is told.
 *
 * <p>A frame gets its number, from 0, when it is written for the first time, and keeps it for good. The counts are half-open ends:
 * <pre>
 *   0 ... acknowledged ... come ... written
 *         [ handled later  )[ on a lane, or to be written again )
 * </pre>
 */
final class LinkSent {
    private final String name;

    /** [acknowledged, come) */
    private final ArrayDeque<LinkFrame> unhandled = new ArrayDeque<>();

    /** [come, written) */
    private final ArrayDeque<LinkFrame> underWay = new ArrayDeque<>();

    private long acknowledged;

    LinkSent(String name) {
        this.name = name;
    }

    /** Numbers a frame that is written for the first time. */
    void write(LinkFrame frame, long after) {
        frame.number(written(), after);
        underWay.add(frame);
    }

    /** @throws WireException if the other end cannot have received or handled so many frames */
    void require(CloseReason closeReason, String what, long count, long from) throws WireException {
        if (count < from || count > written()) {
            throw new WireException(
                    closeReason, "the peer " + what + " " + count + " frames of " + name + ", expected " + from + " to " + written());
        }
    }

    /** Of those that have not come. */
    LinkFrame first() {
        return underWay.getFirst();
    }

    /** {@link #first} has come. */
    LinkFrame arrive() {
        LinkFrame frame = underWay.remove();
        frame.came();
        unhandled.add(frame);
        return frame;
    }

    /** The first {@code count} have come and were handled. */
    void acknowledge(long count) {
        while (acknowledged < count) {
            unhandled.remove().acknowledged();
            acknowledged++;
        }
    }

    /** Takes the frames on {@code lane} that are not known to be there, or all on any if it is {@link LinkFrame#NOWHERE}, off it: the first ones first. */
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

    /** What the other end has is known exactly. */
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

    /** How many are known to have come. */
    long arrived() {
        return acknowledged + unhandled.size();
    }

    long written() {
        return acknowledged + unhandled.size() + underWay.size();
    }
}
