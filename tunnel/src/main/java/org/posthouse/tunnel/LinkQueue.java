package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SequencedMap;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * The frames of a link that were handed in and not written yet: says which one goes next. Confined to its window; knows no
 * socket and no clock.
 *
 * <p>A frame is a head or bulk. Bulk are CHUNKs and other frames of more than {@link #HEAD_BYTES_MAX}; all others are heads. Heads go
 * first, so that a short message waits for no long one, and in bulk the flows take turns, a frame each. Kept is the order
 * <ul>
 *   <li>of all heads,
 *   <li>of the bulk of one flow, and
 *   <li>of bulk behind every head that was handed in before it, the head of a chunk's message among them.
 * </ul>
 * So that a long message that is one frame keeps its place in its channel, what follows in its flow is bulk too, until {@link #came} says that
 * the other end has it. Only chunks may be overtaken by their own flow: a message's place in its channel is that of its head, and chunks name the
 * message that they belong to (docs/wire.md).
 *
 * <p>Heads that never end cannot hold bulk up for ever: one goes after every {@link #HEADS_IN_A_ROW_MAX} as soon as no head from
 * before it waits.
 */
final class LinkQueue {
    /** With a chunk of 64 KiB after each 32 heads, bulk has at least half of a link that carries heads of 2 KiB. */
    static final int HEADS_IN_A_ROW_MAX = 32;

    /** A frame that is longer waits for its turn: a message of more than 4 KiB. */
    static final int HEAD_BYTES_MAX = Wire.MESSAGE_HEADER_BYTES + 4 * 1024;

    private final ArrayDeque<LinkFrame> heads = new ArrayDeque<>();

    /** By flow; the first is the one whose turn it is. No flow is here without a frame. */
    private final SequencedMap<Flow, ArrayDeque<LinkFrame>> bulk = new LinkedHashMap<>();

    /** Flows whose heads are bulk for now: how many frames of each, chunks apart, have not come to the other end. */
    private final Map<Flow, Integer> ordered = new HashMap<>();

    /** Bulk that was lost on its way, by number: it goes before any that was never written. */
    private final PriorityQueue<LinkFrame> lostBulk = new PriorityQueue<>(Comparator.comparingLong(LinkFrame::number));

    private final FrameView view = new FrameView();
    private int headsInARow;

    void add(LinkFrame frame) {
        ByteBuf bytes = frame.bytes();
        FrameType type = typeOf(bytes);
        if (type == FrameType.CHUNK) {
            addBulk(frame, flowOf(bytes), false);
        } else if (bytes.readableBytes() > HEAD_BYTES_MAX) {
            addBulk(frame, flowOf(bytes), true);
        } else if (!ordered.isEmpty() && type != null && ordered.containsKey(flowOf(bytes))) {
            addBulk(frame, flowOf(bytes), true);
        } else {
            heads.add(frame);
        }
    }

    private void addBulk(LinkFrame frame, Flow flow, boolean isOrdered) {
        frame.bulkOf(flow, isOrdered);
        bulk.computeIfAbsent(flow, unseen -> new ArrayDeque<>()).add(frame);
        if (isOrdered) {
            ordered.merge(flow, 1, Integer::sum);
        }
    }

    /** These were taken from here, and lost on their way: they go before all others of their kind. @param lost in the order of their numbers */
    void putBack(List<LinkFrame> lost) {
        for (LinkFrame frame : lost.reversed()) {
            if (frame.isBulk()) {
                lostBulk.add(frame);
            } else {
                heads.addFirst(frame);
            }
        }
    }

    /** The other end has this frame, which was taken from here. */
    void came(LinkFrame frame) {
        if (frame.isOrderedBulk()) {
            ordered.computeIfPresent(frame.flow(), (flow, count) -> count == 1 ? null : count - 1);
        }
    }

    /**
     * Takes the frame that is to be written next; null if there is none.
     *
     * @param wantsHeads whether it may be a head
     * @param wantsBulk whether it may be bulk
     */
    LinkFrame next(boolean wantsHeads, boolean wantsBulk) {
        dropWhatCame(lostBulk);
        dropWhatCame(heads);
        boolean bulkWaits = !lostBulk.isEmpty() || !bulk.isEmpty();
        boolean head = wantsHeads && !heads.isEmpty();
        if (wantsBulk && bulkWaits && isFree() && (!head || headsInARow >= HEADS_IN_A_ROW_MAX)) {
            headsInARow = 0;
            return lostBulk.isEmpty() ? nextBulk() : lostBulk.remove();
        }
        if (!head) {
            return null;
        }
        headsInARow = bulkWaits ? headsInARow + 1 : 0;
        return heads.remove();
    }

    /** What was thought lost may have come. */
    private static void dropWhatCame(Queue<LinkFrame> frames) {
        while (!frames.isEmpty() && frames.peek().hasCome()) {
            frames.remove();
        }
    }

    void clear() {
        heads.clear();
        lostBulk.clear();
        bulk.clear();
        ordered.clear();
        headsInARow = 0;
    }

    /** Whether all heads from before the bulk that goes next have been written. */
    private boolean isFree() {
        return heads.isEmpty() || !lostBulk.isEmpty() || bulk.firstEntry().getValue().getFirst().place() < heads.getFirst().place();
    }

    private LinkFrame nextBulk() {
        var turn = bulk.pollFirstEntry();
        LinkFrame frame = turn.getValue().remove();
        if (!turn.getValue().isEmpty()) {
            bulk.putLast(turn.getKey(), turn.getValue());
        }
        return frame;
    }

    /** Null for what is too short to be a frame, as the tests of a window use. */
    private static FrameType typeOf(ByteBuf frame) {
        return frame.readableBytes() < 2 * Wire.HEADER_BYTES ? null : FrameType.of(frame.getByte(frame.readerIndex() + Integer.BYTES));
    }

    private Flow flowOf(ByteBuf frame) {
        return Flow.of(view.wrap(frame.nioBuffer(), 0));
    }
}
