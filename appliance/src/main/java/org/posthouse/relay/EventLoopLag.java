package org.posthouse.relay;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.posthouse.core.Latencies;
import org.posthouse.relay.shard.Placement;
import org.posthouse.relay.threads.RecentPeak;

/**
 * Measures how late timers of the relay's event loops fire, which is how long other work of a loop may have to wait. In
 * mode threaded it also measures how late a new virtual thread starts. {@link #watch} and {@link #close} are confined
 * to the relay's loop; the rest is thread-safe.
 */
final class EventLoopLag {
    /**
     * Milliseconds between timers. A loop that is blocked for long makes the timer late repeatedly, once for each time
     * it was due.
     */
    static final int PERIOD_MS = 250;

    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(PERIOD_MS);

    private final List<Future<?>> probes = new ArrayList<>();
    private final Latencies latencies = new Latencies();
    private final RecentPeak peak = new RecentPeak();

    /** Watches the loops of this placement only. */
    void watch(Placement placement) {
        close();
        for (EventLoop loop : placement.loops()) {
            Probe probe = new Probe();
            probes.add(loop.scheduleAtFixedRate(probe, PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS));
        }
        if (placement.blocks()) {
            EventLoop loop = placement.loops().iterator().next();
            probes.add(loop.scheduleAtFixedRate(this::askVirtual, PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS));
        }
    }

    void close() {
        probes.forEach(probe -> probe.cancel(false));
        probes.clear();
    }

    private void askVirtual() {
        long asked = System.nanoTime();
        Thread.ofVirtual().name("posthouse-lag").start(() -> late(System.nanoTime() - asked));
    }

    private synchronized void late(long nanos) {
        latencies.record(Math.max(0, nanos));
        peak.note(nanos, System.nanoTime());
    }

    synchronized Latencies counted() {
        return latencies.copy();
    }

    /** The maximum of the last seconds. */
    synchronized long recentMaxNanos() {
        return peak.at(System.nanoTime());
    }

    /** The timer of one loop, confined to it. */
    private final class Probe implements Runnable {
        private long due = System.nanoTime() + PERIOD_NANOS;

        @Override
        public void run() {
            late(System.nanoTime() - due);
            due += PERIOD_NANOS;
        }
    }
}
