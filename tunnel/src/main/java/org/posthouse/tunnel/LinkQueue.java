package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;

/**
 * The frames of a link that were handed in and not written yet: says which one goes next. Confined to its window; knows no
 * socket and no clock.
 *
 * <p>CHUNKs are the payload of large messages; all other frames, here called heads, are short or the whole of a short
 * message. Heads go first, so that a short message waits for no large one, and large messages take turns, a chunk each. Kept is the order
 * <ul>
 *   <li>of all heads,
 *   <li>of the chunks of one message, and
 *   <li>of a chunk behind every head that was handed in before it, its message's own among them.
 * </ul>
 * Nothing else depends on an order: a message's place in its channel is that of its head, and chunks name the message that
 * they belong to (docs/wire.md). Heads that never end cannot hold chunks up for ever: one goes after every {@link #HEADS_IN_A_ROW_MAX}
 * as soon as no head from before it waits.
 */
final class LinkQueue {
    /** With a chunk of 64 KiB after each 32 heads, chunks have at least half of a link that carries heads of 2 KiB. */
    static final int HEADS_IN_A_ROW_MAX = 32;

    private final ArrayDeque<LinkFrame> heads = new ArrayDeque<>();

    /** By message; the first is the one whose turn it is. No message is here without a chunk. */
    private final SequencedMap<Message, ArrayDeque<LinkFrame>> chunks = new LinkedHashMap<>();

    private final FrameView view = new FrameView();
    private int headsInARow;

    private record Message(long job, int context, int source, int destination, long sequence) {}

    void add(LinkFrame frame) {
        ByteBuf bytes = frame.bytes();
        if (isChunk(bytes)) {
            view.wrap(bytes.nioBuffer(), 0);
            Message message =
                    new Message(view.job(), view.context(), view.source(), view.destination(), view.sequence());
            chunks.computeIfAbsent(message, unseen -> new ArrayDeque<>()).add(frame);
        } else {
            heads.add(frame);
        }
    }

    /** Takes the frame that is to be written next; null if there is none. */
    LinkFrame next() {
        boolean chunk = !chunks.isEmpty() && (heads.isEmpty() || headsInARow >= HEADS_IN_A_ROW_MAX && isFree());
        if (chunk) {
            headsInARow = 0;
            return nextChunk();
        }
        headsInARow = chunks.isEmpty() ? 0 : headsInARow + 1;
        return heads.poll();
    }

    void clear() {
        heads.clear();
        chunks.clear();
        headsInARow = 0;
    }

    /** Whether all heads from before the chunk whose turn it is have been written. */
    private boolean isFree() {
        return chunks.firstEntry().getValue().getFirst().place() < heads.getFirst().place();
    }

    private LinkFrame nextChunk() {
        var turn = chunks.pollFirstEntry();
        LinkFrame chunk = turn.getValue().remove();
        if (!turn.getValue().isEmpty()) {
            chunks.putLast(turn.getKey(), turn.getValue());
        }
        return chunk;
    }

    private static boolean isChunk(ByteBuf frame) {
        return frame.readableBytes() > Wire.CHUNK_HEADER_BYTES
                && frame.getByte(frame.readerIndex() + Integer.BYTES) == FrameType.CHUNK.id();
    }
}
