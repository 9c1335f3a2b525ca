package org.posthouse.relay.config;

import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Lets an event loop poll while messages may arrive soon; it sleeps only when nothing has arrived for a while. A
 * processor is busy as long as it polls. Confined to its loop.
 */
final class BusyPoll implements SelectStrategy {
    private final long pollNanos;
    private final LongSupplier nanoTime;

    /** Until when it polls; a wake-up from sleep begins a new period. */
    private long until;

    private boolean slept = true;

    /** @param pollUs microseconds of polling before it sleeps, above 0 */
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
