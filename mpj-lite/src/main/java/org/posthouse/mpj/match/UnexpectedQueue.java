package org.posthouse.mpj.match;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.PostedReceive;
import org.posthouse.mpj.operation.Sink;
import org.posthouse.wire.Wire;

/**
 * Messages of one context that came before their receives were called, in order of arrival. Each is kept, as far as it
 * has arrived, until its receive takes it. Guarded by the endpoint's lock.
 */
final class UnexpectedQueue {
    /** A kept message: its bytes, in the pieces in which they came. More may be arriving. */
    static final class Message implements Sink {
        private final PostedReceive keeper;
        private final List<byte[]> pieces = new ArrayList<>(1);

        private Message(int context) {
            keeper = new PostedReceive(context, Wire.ANY, Wire.ANY, this);
        }

        /** The receive that stores the message until its own receive is called. */
        PostedReceive keeper() {
            return keeper;
        }

        @Override
        public void begin(Envelope envelope) {
            // Any message is kept.
        }

        @Override
        public void read(long offset, ByteBuffer bytes) {
            byte[] piece = new byte[bytes.remaining()];
            bytes.get(piece);
            pieces.add(piece);
        }

        @Override
        public void end() {
            // The receive's own sink ends the message.
        }

        /** Passes the message to its receive, which continues where the keeper was. True if the message is complete. */
        boolean passTo(PostedReceive postedReceive) {
            return postedReceive.goOn(keeper, pieces);
        }
    }

    private final int context;
    private final Map<Integer, Message> byOrdinal = new LinkedHashMap<>();

    UnexpectedQueue(int context) {
        this.context = context;
    }

    /**
     * Adds a message for the receive with this number.
     *
     * @return null if one has come already
     */
    Message add(int ordinal) {
        Message message = new Message(context);
        return byOrdinal.putIfAbsent(ordinal, message) == null ? message : null;
    }

    /** Whether this receive would take a message for a receive that is called later. */
    boolean passOver(PostedReceive postedReceive) {
        for (Map.Entry<Integer, Message> each : byOrdinal.entrySet()) {
            if (postedReceive.isCalledBefore(each.getKey()) && each.getValue().keeper.isMatchFor(postedReceive)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the message for the receive with this number has come. */
    boolean has(int ordinal) {
        return byOrdinal.containsKey(ordinal);
    }

    /** Removes and returns the message for the receive with this number; null if it has not come. */
    Message take(int ordinal) {
        return byOrdinal.remove(ordinal);
    }
}
