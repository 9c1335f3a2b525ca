package org.posthouse.mpj;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.Wire;

/**
 * Messages of one context that have come before their receives were called, in the order in which they came. Each is kept, as far as it
 * has arrived, until its receive takes it. Guarded by the endpoint's lock.
 */
final class UnexpectedQueue {
    /** A message that is kept: its bytes, in the pieces in which they came. More of it may be arriving. */
    static final class Message implements Sink {
        private final PostedReceive keeper;
        private final List<byte[]> pieces = new ArrayList<>(1);

        private Message(int context) {
            keeper = new PostedReceive(context, Wire.ANY, Wire.ANY, this);
        }

        /** What takes the message in until its receive is called. */
        PostedReceive keeper() {
            return keeper;
        }

        @Override
        public void begin(Envelope envelope) {
            // Whatever it is, it is kept.
        }

        @Override
        public void read(long offset, ByteBuffer bytes) {
            byte[] piece = new byte[bytes.remaining()];
            bytes.get(piece);
            pieces.add(piece);
        }

        @Override
        public void end() {
            // The receive's own sink ends it.
        }

        /** Its receive is called, and goes on where it has been kept. True if all of it is there. */
        boolean passTo(PostedReceive postedReceive) {
            return postedReceive.goOn(keeper, pieces);
        }
    }

    private final int context;
    private final Map<Integer, Message> byOrdinal = new LinkedHashMap<>();

    UnexpectedQueue(int context) {
        this.context = context;
    }

    /** A message comes for the receive with this number. @return null if one has come already */
    Message add(int ordinal) {
        Message message = new Message(context);
        return byOrdinal.putIfAbsent(ordinal, message) == null ? message : null;
    }

    /** Whether a message for a receive that is called later would be taken by this one. */
    boolean passOver(PostedReceive postedReceive) {
        for (Map.Entry<Integer, Message> each : byOrdinal.entrySet()) {
            if (postedReceive.isCalledBefore(each.getKey()) && each.getValue().keeper.isMatchFor(postedReceive)) {
                return true;
            }
        }
        return false;
    }

    /** The message for the receive with this number, which is not kept here any more; null if it has not come. */
    Message take(int ordinal) {
        return byOrdinal.remove(ordinal);
    }
}
