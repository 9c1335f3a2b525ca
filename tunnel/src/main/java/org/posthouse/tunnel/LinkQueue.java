package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * The frames of a link that wait to be written: says which one goes next. Short ones (heads) go before long ones (bulk), so that a short message waits for no
 * long one, and bulk goes in turns. Confined to its window; knows no socket and no clock.
 *
 * <p>Kept is the order
 * <ul>
 *   <li>of all heads,
 *   <li>of the bulk of one channel, and of one stream, and
 *   <li>of bulk behind every head that was handed in before it, the head of a chunk's message among them.
 * </ul>
 * Only chunks may be overtaken by their own channel: a message's place in it is that of its head, and chunks name the message that they belong to (docs/wire.md).
 */
final class LinkQueue {
    /**
     * Heads that never end do not hold bulk up for ever: one goes after so many as soon as no head from before it waits. With a chunk of 64 KiB after each 32 heads, bulk has at least half of a link that carries
     * heads of 2 KiB.
     */
    static final int HEADS_IN_A_ROW_MAX = 32;

    /** A frame that is longer is bulk: a message of more than 4 KiB. So are CHUNKs and what flows on streams (STREAM_DATA and STREAM_END), however short. */
    static final int HEAD_BYTES_MAX = Wire.MESSAGE_HEADER_BYTES + 4 * 1024;

    private final ArrayDeque<LinkFrame> heads = new ArrayDeque<>();

    /** Bulk that was lost on its way, by number: it goes before any that was never written. */
    private final PriorityQueue<LinkFrame> lostBulk = new PriorityQueue<>(Comparator.comparingLong(LinkFrame::number));

    /** Bulk that waits: channels have as much as each other, and so have streams. */
    private final LinkTurns<Flow> channels = new LinkTurns<>();
    private final LinkTurns<Integer> streams = new LinkTurns<>();

    /** Channels whose heads are bulk for now, as a long message that is one frame keeps its place in its channel: how many frames of each, chunks apart, have not come to the other end. */
    private final Map<Flow, Integer> ordered = new HashMap<>();

    /** Bulk that has left its turn for a worker that packs it, and goes when it is back. */
    private final LinkRuns runs = new LinkRuns();
    private final FrameView view = new FrameView();
    private final FrameView otherView = new FrameView();

    /** Bulk goes by {@link #takeRun} only. */
    private boolean packs;

    /** Bytes that channels have had more than streams, at most a frame: so many streams take no more than half of a link. */
    private long channelsAhead;

    private int headsInARow;

    void add(LinkFrame frame) {
        ByteBuf bytes = frame.bytes();
        switch (typeOf(bytes)) {
            case CHUNK -> addBulk(frame, flowOf(bytes), false);
            case STREAM_DATA, STREAM_END -> {
                frame.makeOfStreams();
                frame.makeBulk();
                streams.add(view.wrap(bytes.nioBuffer(), 0).stream(), frame);
            }
            case STREAM_OPEN, STREAM_TOKENS -> {
                frame.makeOfStreams();
                heads.add(frame);
            }
            case null -> heads.add(frame);
            default -> addOfChannel(frame);
        }
    }

    private void addOfChannel(LinkFrame frame) {
        boolean isLong = frame.length() > HEAD_BYTES_MAX;
        if (isLong || !ordered.isEmpty() && ordered.containsKey(flowOf(frame.bytes()))) {
            addBulk(frame, flowOf(frame.bytes()), true);
        } else {
            heads.add(frame);
        }
    }

    private void addBulk(LinkFrame frame, Flow flow, boolean isOrdered) {
        frame.makeBulk();
        channels.add(flow, frame);
        if (isOrdered) {
            frame.orderedIn(flow);
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

    /** Takes what waits of this job and was never written, in no order. What is being packed stays. */
    List<LinkFrame> takeAll(long job) {
        List<LinkFrame> taken = new ArrayList<>(channels.takeAll(flow -> flow.job() == job));
        heads.removeIf(frame -> !frame.isNumbered() && isOf(job, frame) && taken.add(frame));
        taken.forEach(this::came);
        return taken;
    }

    private boolean isOf(long job, LinkFrame frame) {
        return typeOf(frame.bytes()) != null && !frame.isOfStreams() && view.wrap(frame.bytes().nioBuffer(), 0).job() == job;
    }

    /** The other end has this frame, which was taken from here. */
    void came(LinkFrame frame) {
        if (frame.orderedIn() != null) {
            ordered.computeIfPresent(frame.orderedIn(), (flow, count) -> count == 1 ? null : count - 1);
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
        boolean bulkWaits = !lostBulk.isEmpty() || runs.isReady() || !packs && runs.isEmpty() && turnsWait();
        boolean head = wantsHeads && !heads.isEmpty();
        if (wantsBulk && bulkWaits && isFree() && (!head || headsInARow >= HEADS_IN_A_ROW_MAX)) {
            headsInARow = 0;
            return nextBulk();
        }
        if (!head) {
            return null;
        }
        headsInARow = bulkWaits ? headsInARow + 1 : 0;
        return heads.remove();
    }

    /** From now on bulk that was never written is to be packed, or is not. */
    void packs(boolean isPacking) {
        packs = isPacking;
    }

    /** Takes bulk that goes next and may be packed in one; null if there is none, or enough was taken. It comes back by {@link #packed}. */
    LinkRun takeRun() {
        if (!packs || !runs.hasRoom() || !turnIsFree()) {
            return null;
        }
        List<LinkFrame> frames = new ArrayList<>();
        int bytes = 0;
        do {
            LinkFrame frame = nextTurn();
            frames.add(frame);
            bytes += frame.length();
        } while (turnIsFree() && bytes + turn().first().length() <= Wire.PACKED_BYTES_MAX && isOfOneOwner(frames.getFirst(), turn().first()));
        LinkRun run = new LinkRun(frames, bytes);
        runs.add(run);
        return run;
    }

    /** A run is packed, or goes as it is if {@code packed} is null. */
    void packed(LinkRun run, ByteBuf packed) {
        runs.back(run, packed);
    }

    /** What is packed in one can be told apart by its length from outside: never by those who own something else in it. */
    private boolean isOfOneOwner(LinkFrame one, LinkFrame other) {
        view.wrap(one.bytes().nioBuffer(), 0);
        otherView.wrap(other.bytes().nioBuffer(), 0);
        return one.isOfStreams() == other.isOfStreams()
                && (one.isOfStreams() ? view.stream() == otherView.stream() : view.job() == otherView.job());
    }

    /** Whether bulk waits that was on a lost lane. It goes before all other bulk. */
    boolean hasDoubtful() {
        dropWhatCame(lostBulk);
        return !lostBulk.isEmpty() && lostBulk.peek().isDoubtful();
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
        channels.clear();
        streams.clear();
        runs.clear();
        ordered.clear();
        headsInARow = 0;
    }

    /** Whether all heads from before the bulk that goes next have been written. */
    private boolean isFree() {
        return !lostBulk.isEmpty() || runs.isReady() || turnIsFree();
    }

    private boolean turnIsFree() {
        return turnsWait() && (heads.isEmpty() || turn().first().place() < heads.getFirst().place());
    }

    private boolean turnsWait() {
        return !channels.isEmpty() || !streams.isEmpty();
    }

    private LinkTurns<?> turn() {
        return streams.isEmpty() || !channels.isEmpty() && channelsAhead <= 0 ? channels : streams;
    }

    private LinkFrame nextBulk() {
        if (!lostBulk.isEmpty()) {
            return lostBulk.remove();
        }
        return runs.isReady() ? runs.take() : nextTurn();
    }

    private LinkFrame nextTurn() {
        LinkTurns<?> turn = turn();
        LinkFrame frame = turn.next();
        channelsAhead = turn == channels ? Math.min(channelsAhead, 0) + frame.length() : Math.max(channelsAhead, 0) - frame.length();
        return frame;
    }

    /** Null for what is too short to be of a channel. */
    private static FrameType typeOf(ByteBuf frame) {
        return frame.readableBytes() < Wire.STREAM_HEADER_BYTES ? null : FrameType.of(frame.getByte(frame.readerIndex() + FrameView.TYPE_AT));
    }

    private Flow flowOf(ByteBuf frame) {
        return Flow.of(view.wrap(frame.nioBuffer(), 0));
    }
}
