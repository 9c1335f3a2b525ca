package org.posthouse.mpj;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.Reason;
import org.posthouse.wire.WireException;

/**
 * What comes unasked while a rank catches up with its history, and the receives that it is for (docs/wire.md, replay): a message names
 * its context and the number of its receive there, and whichever of the two is first waits for the other. Guarded by the endpoint's lock.
 *
 * <p>What is kept here is bounded by what is read ahead: the rank reads only when a call needs something that has not come, or if nothing
 * is kept. What its receives were given before the one that it waits for, it had asked for before.
 */
final class Unasked {
    /** By context and ordinal, in the order of their calls. */
    private final Map<Long, Receiving> waiting = new LinkedHashMap<>();

    private final Map<Integer, Early> early = new HashMap<>();
    private int kept;

    private static long call(int context, int ordinal) {
        return (long) context << Integer.SIZE | Integer.toUnsignedLong(ordinal);
    }

    private static long call(Receiving receiving) {
        return call(receiving.context, (int) receiving.ordinal());
    }

    // ---- receives

    /** The message that has come for a receive that is called now; null if none has. */
    Early.Message take(Receiving receiving) {
        if (kept == 0) {
            return null;
        }
        Early messages = early.get(receiving.context);
        Early.Message message = messages == null ? null : messages.take((int) receiving.ordinal());
        kept -= message == null ? 0 : 1;
        return message;
    }

    /** A receive waits for its message. */
    void await(Receiving receiving) {
        waiting.put(call(receiving), receiving);
    }

    /** It does not wait any more. @return whether it did */
    boolean remove(Receiving receiving) {
        return waiting.remove(call(receiving), receiving);
    }

    /** All that wait, in the order of their calls; none does any more. */
    List<Receiving> takeWaiting() {
        List<Receiving> all = List.copyOf(waiting.values());
        waiting.clear();
        return all;
    }

    boolean isAwaited() {
        return !waiting.isEmpty();
    }

    // ---- messages

    /** The receive that a message is for, if it waits; else null. */
    Receiving receiver(int context, int ordinal) {
        return waiting.remove(call(context, ordinal));
    }

    /** Whether a message that is kept for a receive which is not called yet would have been this one's, if that had still waited when it came. */
    boolean isPassedOver(Receiving receiving) {
        Early messages = kept == 0 ? null : early.get(receiving.context);
        return messages != null && messages.passOver(receiving);
    }

    /** What keeps a message whose receive has not been called. */
    Receiving keeper(int context, int ordinal) throws WireException {
        Early.Message message = early.computeIfAbsent(context, Early::new).add(ordinal);
        if (message == null) {
            throw new WireException(
                    Reason.NOT_EXPECTED,
                    "a second message for receive " + Integer.toUnsignedString(ordinal) + " of context " + context);
        }
        kept++;
        return message.keeper();
    }

    /** Whether there are messages whose receives have not been called. */
    boolean keepsMessages() {
        return kept > 0;
    }
}
