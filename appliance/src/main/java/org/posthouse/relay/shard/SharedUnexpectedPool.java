package org.posthouse.relay.shard;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.posthouse.core.CoreConfig;
import org.posthouse.core.UnexpectedPool;

/**
 * Limits the memory of all shards of a relay for unexpected messages. Thread-safe: the shards call it, each in its
 * strand.
 */
final class SharedUnexpectedPool implements UnexpectedPool {
    private final int messagesMax;
    private final long bytesMax;
    private final AtomicInteger messages = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    SharedUnexpectedPool(CoreConfig config) {
        messagesMax = Math.max(1, config.storedMessagesMaxTotal());
        bytesMax = config.unexpectedBytesTotal();
    }

    @Override
    public boolean takeLogged() {
        if (messages.incrementAndGet() <= messagesMax) {
            return true;
        }
        messages.decrementAndGet();
        return false;
    }

    @Override
    public void takeRestored() {
        messages.incrementAndGet();
    }

    @Override
    public void giveBackLogged(int count) {
        messages.addAndGet(-count);
    }

    @Override
    public boolean takeBytes(long count) {
        if (bytes.addAndGet(count) <= bytesMax) {
            return true;
        }
        bytes.addAndGet(-count);
        return false;
    }

    @Override
    public void giveBackBytes(long count) {
        bytes.addAndGet(-count);
    }
}
