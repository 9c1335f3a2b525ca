package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.posthouse.testkit.SeededRuns;

/** Promises P1, P2, P3 and P6 of the pure core, over thousands of random programs on random grids. */
final class CoreWorldTest {
    private static final boolean IS_LONG = Boolean.getBoolean("posthouse.long");

    @Test
    void keepsItsPromisesInEveryWorld() {
        AtomicInteger worlds = new AtomicInteger();
        AtomicLong bytesHeldMax = new AtomicLong();
        AtomicLong takenBack = new AtomicLong();
        AtomicLong readBack = new AtomicLong();
        AtomicLong aheadMax = new AtomicLong();
        AtomicLong pulled = new AtomicLong();
        AtomicLong pushes = new AtomicLong();
        AtomicLong longPushes = new AtomicLong();
        AtomicLong waited = new AtomicLong();
        AtomicLong holds = new AtomicLong();
        AtomicLong toldBySite = new AtomicLong();
        SeededRuns.each(IS_LONG ? 3_000 : 600, seed -> {
            CoreWorld world = new CoreWorld(seed);
            world.run();
            worlds.incrementAndGet();
            bytesHeldMax.accumulateAndGet(world.bytesHeldMax(), Math::max);
            takenBack.addAndGet(world.takenBack());
            readBack.addAndGet(world.piecesReadBack());
            pulled.addAndGet(world.pulled());
            pushes.addAndGet(world.pushes());
            longPushes.addAndGet(world.longPushes());
            toldBySite.addAndGet(world.toldBySite());
            waited.addAndGet(world.timesWaited());
            holds.addAndGet(world.holds());
            aheadMax.accumulateAndGet(world.aheadMax(), Math::max);
        });
        // A third to a half of the least that eight times 3,000 worlds had: few worlds have much of what is rare.
        int count = worlds.get();
        SeededRuns.tally("receives and offers that were taken back", takenBack.get(), count);
        SeededRuns.tally("bytes that waited in memory", bytesHeldMax.get(), 0);
        SeededRuns.tally("pieces of payload that were read back from a log", readBack.get(), 4L * count);
        SeededRuns.tally("messages that came unasked", pushes.get(), count);
        SeededRuns.tally("long ones of them", longPushes.get(), count / 40);
        SeededRuns.tally("frames that were safe before others before them", toldBySite.get(), count / 30);
        SeededRuns.tally("offers that were asked for", pulled.get(), count / 12);
        SeededRuns.tally("frames after which senders waited for room for what they had offered", waited.get(), count);
        SeededRuns.tally("times that a log had no room", holds.get(), count / 2);
        SeededRuns.tally("messages of which a sender's credit covers 16", aheadMax.get(), 50);
    }

    /** Connections of ranks break at any frame, and relays are killed and start again on their logs. */
    @Test
    void keepsItsPromisesThroughCutsAndRestarts() {
        AtomicInteger worlds = new AtomicInteger();
        AtomicLong troubles = new AtomicLong();
        SeededRuns.each(IS_LONG ? 1_000 : 225, seed -> {
            CoreWorld world = new CoreWorld(seed, true);
            world.run();
            worlds.incrementAndGet();
            troubles.addAndGet(world.troubles());
        });
        SeededRuns.tally("cuts and restarts", troubles.get(), worlds.get());
    }

    @Test
    void sameSeedIsTheSameWorld() {
        CoreWorld first = new CoreWorld(42);
        first.run();
        CoreWorld second = new CoreWorld(42);
        second.run();
        assertThat(second.clock().now()).isEqualTo(first.clock().now());
        assertThat(second.bytesHeldMax()).isEqualTo(first.bytesHeldMax());
    }
}
