package org.posthouse.tunnel.window;

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
 * The frames of a link that wait to be written; decides which one is next. Short frames (heads) precede long ones
 * (bulk), so that a short message never waits for a long one. Bulk of different channels and streams takes turns.
 * Confined to its window; uses no socket and no clock.
 *
 * <p>The queue preserves the order
 * <ul>
 * <li>of all heads,
 * <li>of the bulk of one channel, and of one stream, and
 * <li>of bulk after every head that was appended before it, including the head of a chunk's message.
 * </ul>
 * Only chunks may be overtaken within their own channel. A message's place in the channel is that of its head, and
 * chunks name the message that they belong to (docs/wire.md).
 */
public final class LinkQueue {
    /**
     * Limit on consecutive heads, so that endless heads do not starve bulk. After this many, one bulk frame is written
     * as soon as no older head waits. With a chunk of 64 KiB after each 32 heads, bulk gets at least half of a link
     * that carries heads of 2 KiB.
     */
    static final int HEADS_IN_A_ROW_MAX = 32;

    /**
     * A longer frame is bulk: a message of more than 4 KiB. CHUNK, STREAM_DATA and STREAM_END frames are bulk whatever
     * their length.
     */
    public static final int HEAD_BYTES_MAX = Wire.MESSAGE_HEADER_BYTES + 4 * 1024;

    private final ArrayDeque<LinkFrame> heads = new ArrayDeque<>();

    /** Bulk that was lost in flight, by number; it precedes bulk that was never written. */
    private final PriorityQueue<LinkFrame> lostBulk = new PriorityQueue<>(Comparator.comparingLong(LinkFrame::number));

    /** Waiting bulk. Channels share the link equally, and so do streams. */
    private final FairQueue<Flow> channels = new FairQueue<>();
    private final FairQueue<Integer> streams = new FairQueue<>();

    /**
     * Channels whose heads temporarily count as bulk, because a long single-frame message must keep its place in its
     * channel. The value is the number of the channel's frames, without chunks, that have not reached the other end.
     */
    private final Map<Flow, Integer> ordered = new HashMap<>();

    /** Bulk that a worker is packing; it is written when it is back. */
    private final PackingQueue runs = new PackingQueue();
    private final FrameView view = new FrameView();
    private final FrameView otherView = new FrameView();

    /** Whether bulk leaves only by {@link #takeRun}. */
    private boolean packs;

    /** Bytes that channels have sent more than streams, at most a frame. It limits streams to half of a link. */
    private long channelsAhead;

    private int headsInARow;

    public void add(LinkFrame frame) {
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

    /**
     * Takes back frames that were lost in flight. They precede all others of their kind.
     *
     * @param lost in the order of their numbers
     */
    void putBack(List<LinkFrame> lost) {
        for (LinkFrame frame : lost.reversed()) {
            if (frame.isBulk()) {
                lostBulk.add(frame);
            } else {
                heads.addFirst(frame);
            }
        }
    }

    /**
     * Removes and returns the job's waiting frames that were never written, in no particular order. Frames that are
     * being packed stay.
     */
    List<LinkFrame> takeAll(long job) {
        List<LinkFrame> taken = new ArrayList<>(channels.takeAll(flow -> flow.job() == job));
        heads.removeIf(frame -> !frame.isNumbered() && isOf(job, frame) && taken.add(frame));
        taken.forEach(this::came);
        return taken;
    }

    private boolean isOf(long job, LinkFrame frame) {
        return typeOf(frame.bytes()) != null && !frame.isOfStreams() && view.wrap(frame.bytes().nioBuffer(), 0).job() == job;
    }

    /** The other end has this frame. */
    void came(LinkFrame frame) {
        if (frame.orderedIn() != null) {
            ordered.computeIfPresent(frame.orderedIn(), (flow, count) -> count == 1 ? null : count - 1);
        }
    }

    /**
     * Removes the frame to write next; null if there is none.
     *
     * @param wantsHeads whether it may be a head
     * @param wantsBulk whether it may be bulk
     */
    public LinkFrame next(boolean wantsHeads, boolean wantsBulk) {
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

    /** Turns packing on or off for bulk that was never written. */
    void packs(boolean isPacking) {
        packs = isPacking;
    }

    /**
     * Removes the next bulk that may be packed into one frame; null if there is none, or enough was taken.
     * {@link #packed} returns it.
     */
    PackedRun takeRun() {
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
        PackedRun run = new PackedRun(frames, bytes);
        runs.add(run);
        return run;
    }

    /** Returns a run from packing. If {@code packed} is null, its frames are sent unpacked. */
    void packed(PackedRun run, ByteBuf packed) {
        runs.back(run, packed);
    }

    /**
     * Whether two frames may be packed together. The length of packed data reveals something about its content, so
     * frames of different owners are never packed together.
     */
    private boolean isOfOneOwner(LinkFrame one, LinkFrame other) {
        view.wrap(one.bytes().nioBuffer(), 0);
        otherView.wrap(other.bytes().nioBuffer(), 0);
        return one.isOfStreams() == other.isOfStreams()
                && (one.isOfStreams() ? view.stream() == otherView.stream() : view.job() == otherView.job());
    }

    /** Whether bulk of a lost lane waits; it precedes all other bulk. */
    boolean hasDoubtful() {
        dropWhatCame(lostBulk);
        return !lostBulk.isEmpty() && lostBulk.peek().isDoubtful();
    }

    /** Removes frames that were considered lost but have arrived. */
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

    /** Whether all heads appended before the next bulk have been written. */
    private boolean isFree() {
        return !lostBulk.isEmpty() || runs.isReady() || turnIsFree();
    }

    private boolean turnIsFree() {
        return turnsWait() && (heads.isEmpty() || turn().first().place() < heads.getFirst().place());
    }

    private boolean turnsWait() {
        return !channels.isEmpty() || !streams.isEmpty();
    }

    private FairQueue<?> turn() {
        return streams.isEmpty() || !channels.isEmpty() && channelsAhead <= 0 ? channels : streams;
    }

    private LinkFrame nextBulk() {
        if (!lostBulk.isEmpty()) {
            return lostBulk.remove();
        }
        return runs.isReady() ? runs.take() : nextTurn();
    }

    private LinkFrame nextTurn() {
        FairQueue<?> turn = turn();
        LinkFrame frame = turn.next();
        channelsAhead = turn == channels ? Math.min(channelsAhead, 0) + frame.length() : Math.max(channelsAhead, 0) - frame.length();
        return frame;
    }

    /** The frame's type; null if it is too short to belong to a channel. */
    private static FrameType typeOf(ByteBuf frame) {
        return frame.readableBytes() < Wire.STREAM_HEADER_BYTES ? null : FrameType.of(frame.getByte(frame.readerIndex() + FrameView.TYPE_AT));
    }

    private Flow flowOf(ByteBuf frame) {
        return Flow.of(view.wrap(frame.nioBuffer(), 0));
    }
}
