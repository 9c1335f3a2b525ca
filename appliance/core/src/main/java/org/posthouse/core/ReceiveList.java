package org.posthouse.core;

/** Posted receives of one channel, or of one context with a wildcard source, in the order they were posted. */
final class ReceiveList {
    private Receive first;
    private Receive last;

    boolean isEmpty() {
        return first == null;
    }

    void append(Receive receive) {
        if (last == null) {
            first = receive;
        } else {
            last.next(receive);
        }
        last = receive;
    }

    /** The earliest posted one that takes a message with this tag, or null. */
    Receive firstFor(int messageTag) {
        Receive receive = first;
        while (receive != null && !receive.takesTag(messageTag)) {
            receive = receive.next();
        }
        return receive;
    }

    /** Removes {@code receive}, which must be here. Constant time for the first, the usual case. */
    void remove(Receive receive) {
        Receive before = null;
        Receive at = first;
        while (at != receive) {
            before = at;
            at = at.next();
        }
        if (before == null) {
            first = receive.next();
        } else {
            before.next(receive.next());
        }
        if (last == receive) {
            last = before;
        }
        receive.next(null);
    }

    /** Removes and returns the earliest posted one, or null. */
    Receive takeFirst() {
        Receive taken = first;
        if (taken != null) {
            remove(taken);
        }
        return taken;
    }

    /** The one with this request number, or null. */
    Receive numbered(int request) {
        Receive receive = first;
        while (receive != null && receive.request() != request) {
            receive = receive.next();
        }
        return receive;
    }

    void clear() {
        first = null;
        last = null;
    }
}
