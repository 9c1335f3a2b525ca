package org.posthouse.mpj;

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
 * What had become of this rank's messages when it was started again, or came again, as its relay told (docs/wire.md, STATE). Filled
 * while the rank is greeted, and not changed before the next greeting. Guarded by the endpoint's lock.
 */
final class DeliveredPrefix {
    /** What to do with a message. */
    enum Fate {
        /** It was never sent. */
        NEW,
        /** Nothing is known of its channel: all of it is sent. */
        AGAIN,
        /** It is there in part, and was EAGER, or all of it is on its way and nobody keeps it: so it is begun again. */
        EAGER_AGAIN,
        /** It was offered, and is not all there: so it is offered again. */
        OFFER_AGAIN,
        /** It is where it was to go: its checksum is sent, to be compared. */
        RESENT,
        /** It was taken back: nothing is sent. */
        GONE
    }

    private record Channel(int context, int destination) {}

    private record Transfer(int context, int destination, long sequence) {}

    private final Map<Channel, Long> last = new HashMap<>();
    private final Map<Transfer, Fate> open = new HashMap<>();

    /** What is taken back stays so; the relay may be started again, and forget it. */
    private final Set<Transfer> gone = new LinkedHashSet<>();

    /** Whether the rank was started before, so that this must be asked. */
    private boolean restarted;

    void restarted() {
        restarted = true;
    }

    /** Whether a process before this one may have sent what this one has not. */
    boolean isRestarted() {
        return restarted;
    }

    /** The relay is about to tell anew what its channels have. */
    void clear() {
        last.clear();
        open.clear();
    }

    void take(StatePage page) throws WireException {
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

    /** The relay has said that an offer is taken back. */
    void tookBack(int context, int destination, long sequence) {
        gone.add(new Transfer(context, destination, sequence));
    }

    /** How many offers were taken back, as far as is known. */
    int takenBack() {
        return gone.size();
    }

    /** Adds all offers that were taken back, as the relay has told or as this process knows. */
    void gone(List<StatePage.Entry> state) {
        gone.forEach(offer -> state.add(new StatePage.Entry(StatePage.GONE, offer.context, offer.destination, offer.sequence)));
    }

    /** What to do with a message that the program sends. */
    Fate fate(int context, int destination, long sequence) {
        return restarted ? known(context, destination, sequence) : Fate.NEW;
    }

    /** What to do with one that may have been sent before. */
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
