package org.posthouse.mpj.send;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.WireException;

/**
 * The state of this rank's earlier messages at a restart or reconnection, as its relay told (docs/wire.md, STATE).
 * Filled while the rank is greeted, and unchanged until the next greeting. Guarded by the endpoint's lock.
 */
public final class DeliveredPrefix {
    /** The way in which the rank sends a message. */
    enum Fate {
        /** The message was never sent. */
        NEW,
        /** Nothing is known of its channel: all of it is sent again. */
        AGAIN,
        /**
         * The message is partly there and was EAGER, or all of it is on its way and nobody keeps it. It starts again.
         */
        EAGER_AGAIN,
        /** The message was offered and is not complete: it is offered again. */
        OFFER_AGAIN,
        /** The message has arrived: its checksum is sent, for comparison. */
        RESENT,
        /** The message was cancelled: nothing is sent. */
        GONE
    }

    private record Channel(int context, int destination) {}

    private record Transfer(int context, int destination, long sequence) {}

    private final Map<Channel, Long> last = new HashMap<>();
    private final Map<Transfer, Fate> open = new HashMap<>();

    /** Cancelled messages. A cancel is final, but a restarted relay may have forgotten it. */
    private final Set<Transfer> gone = new LinkedHashSet<>();

    /** Whether the rank was started before, so that these states must be checked. */
    private boolean restarted;

    /** Sets that the rank was started before. */
    public void restarted() {
        restarted = true;
    }

    /** Whether an earlier process may have sent what this one has not. */
    boolean isRestarted() {
        return restarted;
    }

    /** Clears the states of the channels, because the relay is about to send them anew. */
    public void clear() {
        last.clear();
        open.clear();
    }

    /** Takes a page of the states. */
    public void take(StatePage page) throws WireException {
        for (StatePage.Entry entry : page.entries()) {
            switch (entry.kind()) {
                case StatePage.ACCEPTED -> last.put(new Channel(entry.context(), entry.peer()), entry.a());
                case StatePage.OPEN -> open.put(transfer(entry), form(entry));
                case StatePage.GONE -> gone.add(transfer(entry));
                default -> throw new WireException(
                        CloseReason.NOT_EXPECTED, "STATE with an entry of kind " + entry.kind() + " from a relay, expected 4 to 6");
            }
        }
    }

    private static Fate form(StatePage.Entry open) throws WireException {
        FrameType form = FrameType.of((byte) open.aux());
        if (form != FrameType.EAGER && form != FrameType.OFFER) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "STATE with an open message of form " + open.aux() + ", expected 4 or 5");
        }
        return form == FrameType.EAGER ? Fate.EAGER_AGAIN : Fate.OFFER_AGAIN;
    }

    private static Transfer transfer(StatePage.Entry entry) {
        return new Transfer(entry.context(), entry.peer(), entry.a());
    }

    /** Records the relay's answer that an offer is cancelled. */
    void tookBack(int context, int destination, long sequence) {
        gone.add(new Transfer(context, destination, sequence));
    }

    /** Number of offers known to be cancelled. */
    int takenBack() {
        return gone.size();
    }

    /** Adds all cancelled offers, as the relay has told or as this process knows. */
    public void gone(List<StatePage.Entry> state) {
        gone.forEach(offer -> state.add(new StatePage.Entry(StatePage.GONE, offer.context, offer.destination, offer.sequence)));
    }

    /** The way to send a message of the program. */
    Fate fate(int context, int destination, long sequence) {
        return restarted ? known(context, destination, sequence) : Fate.NEW;
    }

    /** The way to send a message that may have been sent before. */
    Fate known(int context, int destination, long sequence) {
        Transfer message = new Transfer(context, destination, sequence);
        if (gone.contains(message)) {
            return Fate.GONE;
        }
        Long accepted = last.get(new Channel(context, destination));
        if (accepted == null) {
            return Fate.AGAIN;
        }
        Fate begun = open.get(message);
        if (begun != null) {
            return begun;
        }
        return sequence <= accepted ? Fate.RESENT : Fate.NEW;
    }
}
