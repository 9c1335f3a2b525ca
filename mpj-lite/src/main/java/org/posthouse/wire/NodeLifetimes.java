package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * A page of how long a relay's agents have been connected (docs/wire.md, NODE_LIFETIMES): of those that are there, and of the newest that have ended.
 *
 * @param left pages that follow this one, at most {@link #PAGES_MAX} - 1
 * @param lifetimes in no order
 */
public record NodeLifetimes(int left, List<Lifetime> lifetimes) {
    private static final int EACH_BYTES = Long.BYTES + Short.BYTES;
    private static final int HEADER_BYTES = Wire.HEADER_BYTES + 2 * Integer.BYTES;

    /** Most lifetimes on a page. */
    static final int EACH_MAX = (Wire.FRAME_BYTES_MAX - HEADER_BYTES) / EACH_BYTES;

    /** Most pages: 65,600 lifetimes, far more than a relay keeps. */
    static final int PAGES_MAX = 16;

    /** What has become of an agent. */
    public enum State {
        /** It is connected. */
        ALIVE,
        /** Its connection broke, and it has not come back. */
        FAILED,
        /** It has said that it ends. */
        LEFT
    }

    /**
     * How long one agent was connected.
     *
     * @param millis since its first connection to this relay; a cut does not end it
     */
    public record Lifetime(long millis, State state) {}

    public NodeLifetimes {
        lifetimes = List.copyOf(lifetimes);
    }

    /** The frame by which a launcher asks. */
    public static ByteBuffer ask() {
        return new FrameWriter(FrameType.NODE_LIFETIMES, 0, Wire.HEADER_BYTES).finish();
    }

    /** Whether this frame asks. */
    public static boolean isAsk(ByteBuffer frame) {
        return frame.remaining() == Wire.HEADER_BYTES;
    }

    /** The answer, as frames to write one after the other: at least one. */
    public static List<ByteBuffer> encode(List<Lifetime> lifetimes) {
        int pages = Math.max(1, (lifetimes.size() + EACH_MAX - 1) / EACH_MAX);
        List<ByteBuffer> frames = new ArrayList<>();
        for (int page = 0; page < pages; page++) {
            List<Lifetime> some = lifetimes.subList(page * EACH_MAX, Math.min(lifetimes.size(), (page + 1) * EACH_MAX));
            frames.add(new NodeLifetimes(pages - 1 - page, some).encode());
        }
        return frames;
    }

    public ByteBuffer encode() {
        FrameWriter out = new FrameWriter(FrameType.NODE_LIFETIMES, 0, HEADER_BYTES + lifetimes.size() * EACH_BYTES).i32(left).i32(lifetimes.size());
        lifetimes.forEach(each -> out.i64(each.millis()).u16(each.state().ordinal()));
        return out.finish();
    }

    /**
     * Reads an answer whose header was checked.
     *
     * @throws WireException if a field is missing or out of range
     */
    public static NodeLifetimes decode(ByteBuffer frame) throws WireException {
        FrameReader in = new FrameReader(frame);
        int left = in.i32("pages left", 0, PAGES_MAX - 1);
        int count = in.count(EACH_BYTES, "lifetimes");
        List<Lifetime> lifetimes = new ArrayList<>(count);
        State[] states = State.values();
        for (int i = 0; i < count; i++) {
            long millis = in.i64("milliseconds", 0, Long.MAX_VALUE);
            int state = in.u16("state");
            if (state >= states.length) {
                throw new WireException(CloseReason.MALFORMED_FRAME, in.type() + " with state " + state + ", expected 0 to " + (states.length - 1));
            }
            lifetimes.add(new Lifetime(millis, states[state]));
        }
        in.end();
        return new NodeLifetimes(left, lifetimes);
    }
}
