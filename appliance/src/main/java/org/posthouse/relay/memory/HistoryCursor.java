package org.posthouse.relay.memory;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.core.HistoryStep;
import org.posthouse.core.Message;

/** A process's way through a {@link RankHistory}. Confined to the journal's owner. */
final class HistoryCursor {
    /** Steps and bytes that are read at once: little, as what was read and not sent yet is in memory. */
    private static final int STEPS_MAX = 256;

    private static final long BYTES_MAX = 1 << 20;

    /** The last entry that was read for an end at this position. */
    private record Mark(long position, HistoryEntry entry) {}

    private final Map<KeptMessage, Message> arriving = new HashMap<>();
    private final ArrayDeque<Mark> marks = new ArrayDeque<>();
    private HistoryEntry read;
    private HistoryEntry sent;
    private long pollsBefore;

    /** @param pollsBefore number of failed polls before the first entry; told with the first steps */
    HistoryCursor(HistoryEntry before, long pollsBefore) {
        this.read = before;
        this.sent = before;
        this.pollsBefore = pollsBefore;
    }

    /** The last entry that was sent. */
    HistoryEntry sent() {
        return sent;
    }

    /** Everything up to this position was sent. */
    void reached(long position) {
        while (!marks.isEmpty() && marks.peek().position() <= position) {
            sent = marks.remove().entry();
        }
    }

    /**
     * The next steps. The last is always an end, or else a position, so that what was sent is known.
     *
     * @param upTo the last position that is wanted; Long.MAX_VALUE for a process that does not follow
     * @param position of the journal's last record
     */
    List<HistoryStep> read(long upTo, long position) {
        List<HistoryStep> steps = new ArrayList<>();
        if (pollsBefore > 0) {
            steps.add(new HistoryStep.Polls(pollsBefore));
            pollsBefore = 0;
        }
        long begin = read.upTo;
        while (hasNext(upTo) && steps.size() < STEPS_MAX && read.upTo - begin < BYTES_MAX) {
            read = read.next;
            add(read.content, steps);
        }
        if (!hasNext(upTo)) {
            end(Math.min(upTo, position), steps);
        } else if (upTo == Long.MAX_VALUE) {
            marks.add(new Mark(read.position, read));
            steps.add(new HistoryStep.Reached(read.position));
        } else {
            end(read.position, steps);
        }
        return steps;
    }

    private boolean hasNext(long upTo) {
        return read.next != null && read.next.position <= upTo;
    }

    private void end(long position, List<HistoryStep> steps) {
        marks.add(new Mark(position, read));
        steps.add(new HistoryStep.End(position));
    }

    private void add(HistoryEntry.Content content, List<HistoryStep> steps) {
        switch (content) {
            case HistoryEntry.Content.Delivered delivered -> {
                Message message = delivered.message().again(delivered.chunks());
                if (!message.isComplete()) {
                    arriving.put(delivered.message(), message);
                }
                steps.add(new HistoryStep.Delivered(delivered.number(), delivered.ordinal(), message, delivered.arrived()));
            }
            case HistoryEntry.Content.Chunk chunk -> addChunk(chunk, steps);
            case HistoryEntry.Content.Events events -> steps.add(HistoryEntry.step(events));
            case HistoryEntry.Content.Plain plain -> steps.add(plain.step());
        }
    }

    private void addChunk(HistoryEntry.Content.Chunk chunk, List<HistoryStep> steps) {
        Message message = arriving.get(chunk.message());
        if (message == null) {
            return; // A process that has come again has all of that message.
        }
        steps.add(new HistoryStep.Piece(message, chunk.offset(), chunk.bytes(), chunk.message().place()));
        if (chunk.offset() + chunk.bytes() == message.bytes()) {
            arriving.remove(chunk.message());
        }
    }
}
