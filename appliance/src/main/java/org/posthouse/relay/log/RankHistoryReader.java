package org.posthouse.relay.log;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.core.HistoryStep;
import org.posthouse.core.Message;
import org.posthouse.logstore.RecordCursor;
import org.posthouse.logstore.StoredMessage;
import org.posthouse.logstore.image.Image;
import org.posthouse.logstore.record.Checkpoint;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Wire;

/**
 * A rank's history in the log, converted to steps for the core. Confined to the reading thread. Messages in the steps
 * belong to the core once they are handed out.
 */
public final class RankHistoryReader implements AutoCloseable {
    /** Steps that are read at once: about 100 KiB. */
    private static final int STEPS_MAX = 1_024;

    /** Bytes of events that are read at once. */
    private static final int EVENT_BYTES_MAX = 1 << 20;

    /** A message that was delivered before all of it had arrived, and the number of bytes handed out. */
    private record Arriving(Message message, long bytes) {}

    /** Pieces of an image that are read at once: 1 MiB. */
    private static final int PIECES_MAX = 16;

    private final Map<Long, Arriving> arriving = new HashMap<>();
    private RecordCursor cursor;

    /** The continuation at an image; null if the history continues behind its prologue, or has jumped. */
    private RestartChoice.Jump jump;

    /** Whether the image is being handed out. */
    private boolean jumping;

    /** Whether the cursor stands at a record that was not wanted yet. */
    private boolean passed;

    /** Number of failed polls before the next record; told with the next steps. */
    private long pollsBefore;

    /**
     * @param cursor the rank's records, or with a jump those of its prologue; closed with this object
     * @param pollsBefore number of failed polls before the first record
     * @param jump the image and records that follow the prologue, or null; closed with this object
     */
    public RankHistoryReader(RecordCursor cursor, long pollsBefore, RestartChoice.Jump jump) {
        this.cursor = cursor;
        this.pollsBefore = pollsBefore;
        this.jump = jump;
    }

    /**
     * The next steps; the last one is an end if there are no more for now.
     *
     * @param upTo the last log position that is wanted; no less than at the call before
     */
    public List<HistoryStep> read(long upTo) {
        List<HistoryStep> steps = new ArrayList<>();
        int eventBytes = 0;
        if (jumping && !jump(steps)) {
            return steps;
        }
        if (pollsBefore > 0) {
            steps.add(new HistoryStep.Polls(pollsBefore));
            pollsBefore = 0;
        }
        while (steps.size() < STEPS_MAX && eventBytes < EVENT_BYTES_MAX) {
            if (!advance(upTo)) {
                steps.add(new HistoryStep.End(Math.min(cursor.position(), upTo)));
                return steps;
            }
            switch (cursor.record()) {
                case LogRecord.Arrival arrival when arrival.receipt() != null -> steps.add(delivered());
                case LogRecord.Delivery delivery -> steps.add(delivered());
                case LogRecord.Chunk chunk when arriving.containsKey(chunk.arrivalPosition()) -> steps.add(piece(chunk));
                case LogRecord.Events events -> {
                    ByteBuffer items = ByteBuffer.allocate(cursor.payloadBytes()).put(cursor.payload()).flip();
                    eventBytes += items.remaining();
                    steps.add(new HistoryStep.Events(events.first(), events.count(), items));
                }
                case LogRecord.CheckpointTaken taken when taken.checkpoint().ready() -> {
                    steps.add(end(taken.checkpoint()));
                    if (jumping) {
                        return steps;
                    }
                }
                case LogRecord.Polls polls -> steps.add(new HistoryStep.Polls(polls.cumulative()));
                default -> {}
            }
        }
        steps.add(new HistoryStep.Reached(cursor.position()));
        return steps;
    }

    /** Moves to the next record up to this position. A later one stays for the next call. */
    private boolean advance(long upTo) {
        if (!passed && !cursor.advance()) {
            return false;
        }
        passed = cursor.position() > upTo;
        return !passed;
    }

    private HistoryStep end(Checkpoint prologue) {
        jumping = jump != null;
        Checkpoint at = jumping ? jump.image().checkpoint() : prologue;
        return new HistoryStep.PrologueEnd(at.number(), at.bytes(), at.deliveries(), at.events(), at.polls());
    }

    /**
     * Adds more pieces of the image.
     *
     * @return true once all were handed out; the history then continues in the log
     */
    private boolean jump(List<HistoryStep> steps) {
        Image image = jump.image();
        for (int i = 0; i < PIECES_MAX; i++) {
            long offset = image.offset();
            ByteBuffer piece = image.next();
            if (piece == null) {
                land(steps);
                return true;
            }
            steps.add(new HistoryStep.ImagePiece(image.checkpoint().number(), offset, piece));
        }
        return false;
    }

    private void land(List<HistoryStep> steps) {
        jumping = false;
        cursor.close();
        cursor = jump.behind();
        arriving.clear();
        if (jump.pollsBefore() > jump.image().checkpoint().polls()) {
            steps.add(new HistoryStep.Polls(jump.pollsBefore()));
        }
        jump.image().close();
        jump = null;
    }

    private HistoryStep delivered() {
        StoredMessage stored = cursor.message();
        LogRecord.Receipt receipt = stored.receipt();
        Message message = pieces(Message.of(logged(stored)), stored);
        if (!stored.isWhole()) {
            arriving.put(stored.position(), new Arriving(message, stored.arrived()));
        }
        return new HistoryStep.Delivered(receipt.number(), receipt.ordinal(), message, stored.arrived());
    }

    /** The record of the message's arrival. */
    static Message.Logged logged(StoredMessage stored) {
        LogRecord.Arrival arrival = stored.arrival();
        return new Message.Logged(
                arrival.context(),
                arrival.source(),
                arrival.rank(),
                arrival.tag(),
                arrival.sequence(),
                arrival.length(),
                arrival.elements(),
                arrival.datatype(),
                form(arrival.form()),
                arrival.storable(),
                stored.position(),
                stored.place());
    }

    /** Tells the message the places of its payload. */
    static Message pieces(Message message, StoredMessage stored) {
        long length = stored.arrival().length();
        for (int piece = 0; piece < stored.pieces(); piece++) {
            long left = length - (long) piece * Wire.PAYLOAD_BYTES_MAX;
            message.loggedPiece((int) Math.min(Wire.PAYLOAD_BYTES_MAX, left), stored.piecePlace(piece));
        }
        return message;
    }

    private static FrameType form(LogRecord.Form form) {
        return switch (form) {
            case SEND -> FrameType.SEND;
            case EAGER -> FrameType.EAGER;
            case OFFER -> FrameType.OFFER;
        };
    }

    private HistoryStep piece(LogRecord.Chunk chunk) {
        Arriving message = arriving.get(chunk.arrivalPosition());
        int bytes = cursor.payloadBytes();
        Arriving more = new Arriving(message.message(), message.bytes() + bytes);
        if (more.bytes() == message.message().bytes()) {
            arriving.remove(chunk.arrivalPosition());
        } else {
            arriving.put(chunk.arrivalPosition(), more);
        }
        return new HistoryStep.Piece(message.message(), chunk.offset(), bytes, cursor.place());
    }

    @Override
    public void close() {
        if (jump != null) {
            jump.image().close();
            jump.behind().close();
        }
        cursor.close();
    }
}
