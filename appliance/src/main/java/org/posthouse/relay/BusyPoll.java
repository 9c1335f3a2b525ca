package org.posthouse.relay;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How an event loop waits that is to be awake when the next message comes: it asks again and again, and sleeps only when
 * nothing has come for a while. A processor is busy as long as it asks. Confined to its loop.
 */
final class BusyPoll implements SelectStrategy {
    private final long pollNanos;
    private final LongSupplier nanoTime;

    /** Until when it asks; what wakes it from sleep begins a new while. */
    private long until;

    private boolean slept = true;

    /** @param pollUs how long it asks before it sleeps, in microseconds, above 0 */
    BusyPoll(int pollUs, LongSupplier nanoTime) {
        this.pollNanos = TimeUnit.MICROSECONDS.toNanos(pollUs);
        this.nanoTime = nanoTime;
    }

    @Override
    public int calculateStrategy(IntSupplier ready, boolean hasTasks) throws Exception {
        int connections = ready.get();
        if (hasTasks || connections > 0 || slept) {
            until = nanoTime.getAsLong() + pollNanos;
            slept = false;
            return connections;
        }
        if (nanoTime.getAsLong() - until < 0) {
            Thread.yield();
            return 0;
        }
        slept = true;
        return SELECT;
    }
}
