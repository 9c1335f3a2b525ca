package org.posthouse.core;

import org.posthouse.wire.Wire;

/**
 * How much of each offered message may be under way at once after it was matched: one window; of one that comes over a link more, since it takes
 * the link's round trip until its sender hears that it may go on. What is more than a window is lent, and comes back when the message is here; all
 * that is lent at a time has a limit, past which a message has its one window. Confined to the relay core.
 */
final class Windows {
    private final CoreConfig config;
    private final long lentMax;
    private long lent;

    /** @param shards how many cores of the relay share its limit */
    Windows(CoreConfig config, int shards) {
        this.config = config;
        this.lentMax = config.lentBytesTotal() / shards;
    }

    /** Up to where a message may be sent now. @param far whether it comes over a link */
    long bound(Message message, boolean far) {
        giveBack(message);
        long missing = message.bytes() - message.arrived() - config.windowBytes();
        if (far && missing > 0) {
            long extra = Math.min(Math.min(missing + Wire.PAYLOAD_BYTES_MAX - 1, config.lentBytes()), lentMax - lent);
            message.lent(extra - extra % Wire.PAYLOAD_BYTES_MAX);
            lent += message.lent();
        }
        return Math.min(message.bytes(), message.arrived() + config.windowBytes() + message.lent());
    }

    /** Whether half of what a message had been allowed is here, and there is more of it. */
    boolean wantsMore(Message message) {
        return message.granted() < message.bytes()
                && message.granted() - message.arrived() <= (config.windowBytes() + message.lent()) / 2;
    }

    /** All of the message is here, or nobody wants it any more. */
    void giveBack(Message message) {
        lent -= message.lent();
        message.lent(0);
    }

    /** What is lent now. */
    long lent() {
        return lent;
    }
}
