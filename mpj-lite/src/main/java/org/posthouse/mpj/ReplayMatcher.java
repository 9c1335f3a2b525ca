package org.posthouse.mpj;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.WireException;

/**
 * What comes unasked while a rank catches up with its history, and the receives that it is for (docs/wire.md, replay): a message names
 * its context and the number of its receive there, and whichever of the two is first waits for the other. Guarded by the endpoint's lock.
 *
 * <p>What is kept here is bounded by what is read ahead: the rank reads only when a call needs something that has not come, or if nothing
 * is kept. What its receives were given before the one that it waits for, it had asked for before.
 */
final class ReplayMatcher {
    /** By context and ordinal, in the order of their calls. */
    private final Map<Long, PostedReceive> waiting = new LinkedHashMap<>();

    private final Map<Integer, UnexpectedQueue> early = new HashMap<>();
    private int kept;

    private static long call(int context, int ordinal) {
        return (long) context << Integer.SIZE | Integer.toUnsignedLong(ordinal);
    }

    private static long call(PostedReceive postedReceive) {
        return call(postedReceive.context, (int) postedReceive.ordinal());
    }

    // ---- receives

    /** The message that has come for a receive that is called now; null if none has. */
    UnexpectedQueue.Message take(PostedReceive postedReceive) {
        if (kept == 0) {
            return null;
        }
        UnexpectedQueue messages = early.get(postedReceive.context);
        UnexpectedQueue.Message message = messages == null ? null : messages.take((int) postedReceive.ordinal());
        kept -= message == null ? 0 : 1;
        return message;
    }

    /** A receive waits for its message. */
    void await(PostedReceive postedReceive) {
        waiting.put(call(postedReceive), postedReceive);
    }

    /** It does not wait any more. @return whether it did */
    boolean remove(PostedReceive postedReceive) {
        return waiting.remove(call(postedReceive), postedReceive);
    }

    /** All that wait, in the order of their calls; none does any more. */
    List<PostedReceive> takeWaiting() {
        List<PostedReceive> all = List.copyOf(waiting.values());
        waiting.clear();
        return all;
    }

    boolean isAwaited() {
        return !waiting.isEmpty();
    }

    // ---- messages

    /** The receive that a message is for, if it waits; else null. */
    PostedReceive receiver(int context, int ordinal) {
        return waiting.remove(call(context, ordinal));
    }

    /** Whether a message that is kept for a receive which is not called yet would have been this one's, if that had still waited when it came. */
    boolean isPassedOver(PostedReceive postedReceive) {
        UnexpectedQueue messages = kept == 0 ? null : early.get(postedReceive.context);
        return messages != null && messages.passOver(postedReceive);
    }

    /** What keeps a message whose receive has not been called. */
    PostedReceive keeper(int context, int ordinal) throws WireException {
        UnexpectedQueue.Message message = early.computeIfAbsent(context, UnexpectedQueue::new).add(ordinal);
        if (message == null) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED,
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
