package org.posthouse.mpj.send;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.mpj.operation.OfferedSend;
import org.posthouse.wire.Confirmed;

/**
 * The messages of a follower that its relay has not confirmed, in the order of their calls, with copies of their bytes.
 * They are sent if this process leads before the rank's leader has sent them. Guarded by the endpoint's lock.
 */
final class UnconfirmedSends {
    private record Transfer(int context, int destination, long sequence) {}

    private final long bytesMax;
    private final Map<Transfer, OfferedSend> sends = new LinkedHashMap<>();
    private long bytes;

    /** @param bytesMax most bytes that are kept; one message may exceed the limit */
    UnconfirmedSends(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** Whether the next message must wait until some are confirmed. */
    boolean isFull() {
        return sends.size() >= Confirmed.UNCONFIRMED_MAX || bytes >= bytesMax;
    }

    /** Adds a message whose content is a copy. */
    void add(OfferedSend send) {
        sends.put(new Transfer(send.context, send.destination, send.sequence), send);
        bytes += send.content.bytes();
    }

    /** Removes and returns a message; null if it is not here. */
    OfferedSend remove(int context, int destination, long sequence) {
        OfferedSend send = sends.remove(new Transfer(context, destination, sequence));
        bytes -= send == null ? 0 : send.content.bytes();
        return send;
    }

    /** All messages, in the order of their calls. */
    Collection<OfferedSend> all() {
        return sends.values();
    }

    /** Removes and returns all messages, in the order of their calls. */
    List<OfferedSend> takeAll() {
        List<OfferedSend> all = new ArrayList<>(sends.values());
        sends.clear();
        bytes = 0;
        return all;
    }
}
