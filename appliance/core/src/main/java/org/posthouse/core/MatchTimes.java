package org.posthouse.core;

import java.util.function.LongSupplier;

/**
 * Measures the waits of messages in their mailboxes for a receive, and of receives for a message. Each match is counted
 * in both: one of the two had to wait, and the other took no time. A pushed message is counted once, since its receive
 * is not known here. Confined to the relay core.
 *
 * <p>It costs a message four bytes and a receive none: the order of a receive among others is the time of its posting.
 * The clock is the owner's, which may stop it during a batch of work; the steps of the batch then seem to take no time.
 */
final class MatchTimes {
    /** A tick is 4.1 µs, so that an int of them wraps after 4.9 hours; a longer wait is counted modulo that. */
    private static final int TICK_BITS = 12;

    private final LongSupplier nanoTime;
    private final Latencies messages = new Latencies();
    private final Latencies receives = new Latencies();

    MatchTimes(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** The time of a receive's posting: {@link Mailbox#post} makes its order of it. */
    long now() {
        return nanoTime.getAsLong();
    }

    /** The message begins to wait. */
    void stored(Message message) {
        message.storedTick(tick(now()));
    }

    /** A receive that was just posted took a message that had waited. */
    void messageWaited(Message message, long now) {
        recordWait(message, now);
        receives.record(0);
    }

    private void recordWait(Message message, long now) {
        messages.record(Integer.toUnsignedLong(tick(now) - message.storedTick()) << TICK_BITS);
    }

    /** A message that has just come met a receive that had waited, or is pushed. */
    void met(Message message) {
        if (!message.isPushed()) {
            // The order is ahead of the clock if many were posted while it stood.
            receives.record(Math.max(0, now() - message.receive().order()));
        }
        messages.record(0);
    }

    /** A message that had waited is pushed. */
    void pushed(Message message) {
        recordWait(message, now());
    }

    Latencies messages() {
        return messages;
    }

    Latencies receives() {
        return receives;
    }

    private static int tick(long nanos) {
        return (int) (nanos >> TICK_BITS);
    }
}
