package org.posthouse.core;

import org.posthouse.wire.Wire;

/**
 * Unexpected messages in order, linked through the messages themselves: append and remove in constant time, and no
 * memory beside them. A message stands in two such lists, one for each {@link Order}.
 */
final class MessageList {
    /** By which of its neighbours a list goes. */
    enum Order {
        /** The messages of one channel, by sequence. */
        CHANNEL,
        /** The messages of one context from all sources, by arrival. */
        ARRIVAL
    }

    private final Order order;
    private Message first;
    private Message last;

    MessageList(Order order) {
        this.order = order;
    }

    void append(Message message) {
        message.before(order, last);
        if (last == null) {
            first = message;
        } else {
            last.next(order, message);
        }
        last = message;
    }

    void remove(Message message) {
        Message before = message.before(order);
        Message next = message.next(order);
        if (before == null) {
            first = next;
        } else {
            before.next(order, next);
        }
        if (next == null) {
            last = before;
        } else {
            next.before(order, before);
        }
        message.before(order, null);
        message.next(order, null);
    }

    /** The first message, or null. */
    Message first() {
        return first;
    }

    /** The message with this sequence number, or null. For the messages of one channel. */
    Message numbered(long sequence) {
        Message message = first;
        while (message != null && message.sequence() < sequence) {
            message = message.next(order);
        }
        return message != null && message.sequence() == sequence ? message : null;
    }

    /** The first message with this tag, or with any tag for {@link Wire#ANY}; null if there is none. */
    Message firstWithTag(int tag) {
        Message message = first;
        while (message != null && tag != Wire.ANY && message.tag() != tag) {
            message = message.next(order);
        }
        return message;
    }
}
