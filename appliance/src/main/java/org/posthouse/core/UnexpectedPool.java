package org.posthouse.core;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What all cores of a relay may take of its memory for unexpected messages whose senders are done with them. Thread-safe: cores of one relay share it, so that two ranks may use all of it
 * whichever cores they are at. A message takes of it when it has to wait, and none when its receive is there.
 */
public final class UnexpectedPool {
    private final int messagesMax;
    private final long bytesMax;
    private final AtomicInteger messages = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    /** @param part of what the configuration allows: 1 for a relay, more for a core that shares nothing */
    private UnexpectedPool(CoreConfig config, int part) {
        messagesMax = Math.max(1, config.storedMessagesMaxTotal() / part);
        bytesMax = config.unexpectedBytesTotal() / part;
    }

    /** That of a whole relay. */
    public static UnexpectedPool of(CoreConfig config) {
        return new UnexpectedPool(config, 1);
    }

    /** An equal part of it for each of so many cores, which share nothing. */
    static UnexpectedPool share(CoreConfig config, int cores) {
        return new UnexpectedPool(config, cores);
    }

    /** Takes an envelope of a message that is in the log; false if there are too many. */
    boolean takeLogged() {
        if (messages.incrementAndGet() <= messagesMax) {
            return true;
        }
        messages.decrementAndGet();
        return false;
    }

    /** Takes one whatever there is: it is there. */
    void takeRestored() {
        messages.incrementAndGet();
    }

    void giveBackLogged(int count) {
        messages.addAndGet(-count);
    }

    /** Takes the memory of a message that is nowhere else; false if there is none. */
    boolean takeBytes(long count) {
        if (bytes.addAndGet(count) <= bytesMax) {
            return true;
        }
        bytes.addAndGet(-count);
        return false;
    }

    void giveBackBytes(long count) {
        bytes.addAndGet(-count);
    }
}
