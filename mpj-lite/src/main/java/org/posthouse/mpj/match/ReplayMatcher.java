package org.posthouse.mpj.match;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.mpj.operation.PostedReceive;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.WireException;

/**
 * Matches the messages that come unrequested during catch-up with their receives (docs/wire.md, replay). Each message
 * names its context and the number of its receive there; the earlier of the two waits for the other. Guarded by the
 * endpoint's lock.
 *
 * <p>The kept messages are bounded by what is read ahead: the rank reads only when a call needs something that has not
 * come, or if nothing is kept. Messages for receives before the awaited one had been requested before.
 */
final class ReplayMatcher {
    /** The waiting receives by context and ordinal, in call order. */
    private final Map<Long, PostedReceive> waiting = new LinkedHashMap<>();

    private final Map<Integer, UnexpectedQueue> early = new HashMap<>();
    private int kept;

    static long call(int context, int ordinal) {
        return (long) context << Integer.SIZE | Integer.toUnsignedLong(ordinal);
    }

    private static long call(PostedReceive postedReceive) {
        return call(postedReceive.context, (int) postedReceive.ordinal());
    }

    // ---- receives

    /** The message that has come for a receive being called; null if none has. */
    UnexpectedQueue.Message take(PostedReceive postedReceive) {
        if (kept == 0) {
            return null;
        }
        UnexpectedQueue messages = early.get(postedReceive.context);
        UnexpectedQueue.Message message = messages == null ? null : messages.take((int) postedReceive.ordinal());
        kept -= message == null ? 0 : 1;
        return message;
    }

    /** Whether a message is kept for this receive, which is not called yet. */
    boolean keeps(int context, int ordinal) {
        UnexpectedQueue messages = kept == 0 ? null : early.get(context);
        return messages != null && messages.has(ordinal);
    }

    /** Adds a receive that waits for its message. */
    void await(PostedReceive postedReceive) {
        waiting.put(call(postedReceive), postedReceive);
    }

    /**
     * Removes a waiting receive.
     *
     * @return whether it was waiting
     */
    boolean remove(PostedReceive postedReceive) {
        return waiting.remove(call(postedReceive), postedReceive);
    }

    /** Removes and returns all waiting receives, in call order. */
    List<PostedReceive> takeWaiting() {
        List<PostedReceive> all = List.copyOf(waiting.values());
        waiting.clear();
        return all;
    }

    boolean isAwaited() {
        return !waiting.isEmpty();
    }

    // ---- messages

    /** The waiting receive for a message; null if it does not wait. */
    PostedReceive receiver(int context, int ordinal) {
        return waiting.remove(call(context, ordinal));
    }

    /** Whether this receive would have got a kept message for a later receive, had it still waited when that came. */
    boolean isPassedOver(PostedReceive postedReceive) {
        UnexpectedQueue messages = kept == 0 ? null : early.get(postedReceive.context);
        return messages != null && messages.passOver(postedReceive);
    }

    /** The keeper of a message whose receive has not been called. */
    PostedReceive keeper(int context, int ordinal) throws WireException {
        UnexpectedQueue.Message message = early.computeIfAbsent(context, UnexpectedQueue::new).add(ordinal);
        if (message == null) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED,
                    "a second message for receive " + Integer.toUnsignedString(ordinal) + " of context " + context);
        }
        kept++;
        message.keeper().called(Integer.toUnsignedLong(ordinal));
        return message.keeper();
    }

    /** Whether messages are kept whose receives have not been called. */
    boolean keepsMessages() {
        return kept > 0;
    }
}
