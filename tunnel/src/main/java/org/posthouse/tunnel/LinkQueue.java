package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;

/**
 * The frames of a link that were handed in and not written yet: says which one goes next. Confined to its window; knows no
 * socket and no clock.
 *
 * <p>CHUNKs are the payload of large messages; STREAM_DATA and STREAM_END are what flows on streams; all other frames, here called heads,
 * are short or the whole of a short message. Heads go first, so that a short message waits for no large one; large messages take turns, a chunk
 * each, and so do streams; and where both wait, messages and streams take turns, so that many streams take no more than half of a link. Kept is the order
 * <ul>
 *   <li>of all heads,
 *   <li>of the chunks of one message, of the frames of one stream, and
 *   <li>of each of them behind every head that was handed in before it, its message's own among them.
 * </ul>
 * Nothing else depends on an order: a message's place in its channel is that of its head, and chunks name the message that
 * they belong to (docs/wire.md). Heads that never end cannot hold chunks up for ever: one goes after every {@link #HEADS_IN_A_ROW_MAX}
 * as soon as no head from before it waits.
 */
final class LinkQueue {
    /** With a chunk of 64 KiB after each 32 heads, chunks have at least half of a link that carries heads of 2 KiB. */
    static final int HEADS_IN_A_ROW_MAX = 32;

    private final ArrayDeque<LinkFrame> heads = new ArrayDeque<>();

    private final LinkTurns<Message> chunks = new LinkTurns<>();
    private final LinkTurns<Integer> streams = new LinkTurns<>();
    private final FrameView view = new FrameView();

    /** Whose turn it is if both have frames. */
    private boolean streamsNext;

    private int headsInARow;

    private record Message(long job, int context, int source, int destination, long sequence) {}

    void add(LinkFrame frame) {
        ByteBuf bytes = frame.bytes();
        switch (FrameType.of(bytes.getByte(bytes.readerIndex() + Integer.BYTES))) {
            case CHUNK -> {
                look(bytes);
                chunks.add(
                        new Message(view.job(), view.context(), view.source(), view.destination(), view.sequence()), frame);
            }
            case STREAM_DATA, STREAM_END -> streams.add(look(bytes).stream(), frame);
            case null, default -> heads.add(frame);
        }
    }

    private FrameView look(ByteBuf bytes) {
        return view.wrap(bytes.nioBuffer(), 0);
    }

    /** Takes the frame that is to be written next; null if there is none. */
    LinkFrame next() {
        LinkTurns<?> bulk = turn();
        boolean now = !bulk.isEmpty() && (heads.isEmpty() || headsInARow >= HEADS_IN_A_ROW_MAX && isFree(bulk));
        if (now) {
            headsInARow = 0;
            streamsNext = bulk == chunks;
            return bulk.next();
        }
        headsInARow = bulk.isEmpty() ? 0 : headsInARow + 1;
        return heads.poll();
    }

    void clear() {
        heads.clear();
        chunks.clear();
        streams.clear();
        headsInARow = 0;
    }

    private LinkTurns<?> turn() {
        return streams.isEmpty() || !chunks.isEmpty() && !streamsNext ? chunks : streams;
    }

    /** Whether all heads from before the frame whose turn it is have been written. */
    private boolean isFree(LinkTurns<?> bulk) {
        return bulk.first().place() < heads.getFirst().place();
    }
}
