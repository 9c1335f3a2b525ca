package org.posthouse.relay.memory;

import java.nio.ByteBuffer;
import org.posthouse.core.HistoryStep;

/** One entry of a {@link RankHistory}, which refers to the next. Confined to the journal's owner. */
final class HistoryEntry {
    /** Heap of an entry with its envelope, rounded up. */
    private static final int ENTRY_BYTES = 320;

    /** What the rank has observed. */
    sealed interface Content {
        /** It was given a message, of which so many chunks and bytes had arrived. */
        record Delivered(long number, long ordinal, KeptMessage message, int chunks, long arrived) implements Content {}

        /** Another chunk of a message that it was given before. */
        record Chunk(KeptMessage message, long offset, int bytes) implements Content {}

        record Events(long first, int count, byte[] items) implements Content {}

        /** A step that is the same for all who read it. */
        record Plain(HistoryStep step) implements Content {}
    }

    /** The number of its record in the journal. */
    final long position;

    /** Bytes of all entries of the history up to this one, those included that were dropped. */
    final long upTo;

    /** Null of an entry that was dropped. */
    Content content;

    HistoryEntry next;

    /** The place before the first entry. */
    HistoryEntry() {
        position = 0;
        upTo = 0;
    }

    HistoryEntry(long position, HistoryEntry before, Content content) {
        this.position = position;
        this.upTo = before.upTo + ENTRY_BYTES + payload(content);
        this.content = content;
    }

    private static long payload(Content content) {
        return switch (content) {
            case Content.Delivered delivered -> delivered.message().kept();
            case Content.Chunk chunk -> chunk.bytes();
            case Content.Events events -> events.items().length;
            case Content.Plain plain -> 0;
        };
    }

    /** No history has this content, or none any more. */
    static void drop(Content content) {
        switch (content) {
            case Content.Delivered delivered -> delivered.message().unneeded(delivered.arrived());
            case Content.Chunk chunk -> chunk.message().unneeded(chunk.offset() + chunk.bytes());
            default -> {}
        }
    }

    /** Events as a reader takes them. */
    static HistoryStep step(Content.Events events) {
        return new HistoryStep.Events(events.first(), events.count(), ByteBuffer.wrap(events.items()));
    }
}
