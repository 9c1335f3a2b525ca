package org.posthouse.mpj.match;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.posthouse.mpj.operation.PostedReceive;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** Matched messages of which chunks are still to come, each with its receive. Guarded by the endpoint's lock. */
final class ArrivingMessages {
    private record Transfer(int context, int source, long sequence) {
        private static Transfer of(FrameView view) {
            return new Transfer(view.context(), view.source(), view.sequence());
        }
    }

    private final Map<Transfer, PostedReceive> receives = new HashMap<>();

    /** Whether the relay may repeat frames that it has sent on an earlier connection. */
    private boolean mayRepeat;

    /** Chunks of this message follow. */
    void begin(FrameView view, PostedReceive receive) {
        receives.put(Transfer.of(view), receive);
    }

    /** Another receive gets the rest of a message. */
    void replace(PostedReceive from, PostedReceive to) {
        receives.replaceAll((transfer, each) -> each == from ? to : each);
    }

    /** Whether no message is arriving. */
    boolean isEmpty() {
        return receives.isEmpty();
    }

    /** Bytes of the arriving messages that have come. */
    long bytes() {
        return receives.values().stream().mapToLong(PostedReceive::arrived).sum();
    }

    /**
     * The memory that the payload of a CHUNK, and of all later chunks of its message, fills directly; null if there is
     * none.
     */
    ByteBuffer place(FrameView view) {
        PostedReceive receive = receives.get(Transfer.of(view));
        boolean isNext = receive != null && view.offset() == receive.arrived();
        return isNext ? receive.placeOfRest(view.length() - Wire.CHUNK_HEADER_BYTES) : null;
    }

    /** As {@link #onChunk}, after the payload has been placed. */
    void onPlaced(FrameView view) {
        Transfer transfer = Transfer.of(view);
        if (receives.get(transfer).placed(view.length() - Wire.CHUNK_HEADER_BYTES)) {
            receives.remove(transfer);
        }
    }

    /** Handles a further piece of a message. */
    void onChunk(ByteBuffer frame, FrameView view) throws WireException {
        Transfer transfer = Transfer.of(view);
        PostedReceive receive = receives.get(transfer);
        if (mayRepeat && (receive == null || view.offset() < receive.arrived())) {
            return; // A repeat: the relay's host has lost the record of this delivery.
        }
        if (receive == null) {
            throw new WireException(CloseReason.NOT_EXPECTED, "chunk of a message that is not arriving: " + transfer);
        }
        if (view.offset() != receive.arrived()) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED, "chunk at " + view.offset() + " of " + transfer + ", expected at " + receive.arrived());
        }
        if (receive.read(Inbox.payload(frame, Wire.CHUNK_HEADER_BYTES))) {
            receives.remove(transfer);
        }
    }

    /** The connection broke. */
    void broken() {
        mayRepeat = true;
    }

    /**
     * For each message: the bytes that have come, and how many deliveries ago it began.
     *
     * @param deliveries count of deliveries until now
     */
    void state(long deliveries, List<StatePage.Entry> state) {
        receives.forEach((transfer, receive) -> {
            int since = (int) Math.min(deliveries - receive.delivery() + 1, Integer.MAX_VALUE);
            state.add(new StatePage.Entry(
                    StatePage.ARRIVING, transfer.context, transfer.source, since, transfer.sequence, receive.arrived()));
        });
    }

    /** Removes the receives of messages that will not be whole, because their source is dead. */
    void sourceDied(int source, Consumer<PostedReceive> end) {
        for (Iterator<Map.Entry<Transfer, PostedReceive>> all = receives.entrySet().iterator(); all.hasNext();) {
            Map.Entry<Transfer, PostedReceive> each = all.next();
            if (each.getKey().source == source) {
                all.remove();
                end.accept(each.getValue());
            }
        }
    }

    /**
     * Removes the receive of this context with these low 32 bits of its ordinal. What still comes of its message is a repeat.
     *
     * @return null if no message of it is arriving
     */
    PostedReceive remove(int context, int ordinal) {
        for (Iterator<PostedReceive> all = receives.values().iterator(); all.hasNext();) {
            PostedReceive receive = all.next();
            if (receive.context == context && (int) receive.ordinal() == ordinal) {
                all.remove();
                mayRepeat = true;
                return receive;
            }
        }
        return null;
    }

    /** Ends the receives of a context with an error. */
    void abandon(int context, ReceiveException why) {
        receives.values().stream().filter(receive -> receive.context == context).forEach(receive -> receive.abandon(why));
    }
}
