package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

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
        SeededRuns.each(IS_LONG ? 3_000 : 2_000, seed -> {
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
        if (SeededRuns.isOne()) {
            return;
        }
        // A third to a half of the least that eight times 3,000 worlds had: few worlds have much of what is rare.
        int count = worlds.get();
        assertThat(takenBack.get()).as("receives and offers that were taken back").isGreaterThan(count);
        assertThat(bytesHeldMax.get()).as("worlds in which nothing ever waited prove nothing").isPositive();
        assertThat(readBack.get()).as("pieces of payload that were read back from a log").isGreaterThan(4L * count);
        assertThat(pushes.get()).as("messages that came unasked").isGreaterThan(count);
        assertThat(longPushes.get()).as("long ones of them").isGreaterThan(count / 40);
        assertThat(toldBySite.get()).as("frames that were safe before others before them").isGreaterThan(count / 30);
        assertThat(pulled.get()).as("offers that a log asked for").isGreaterThan(count / 12);
        assertThat(waited.get()).as("frames after which senders waited for room for what they had offered").isGreaterThan(count);
        assertThat(holds.get()).as("times that a log had no room").isGreaterThan(count / 2);
        assertThat(aheadMax.get()).as("messages of which a sender's credit covers 16").isGreaterThan(50);
    }

    /** Connections of ranks break at any frame, and relays are killed and start again on their logs. */
    @Test
    void keepsItsPromisesThroughCutsAndRestarts() {
        AtomicInteger worlds = new AtomicInteger();
        AtomicLong troubles = new AtomicLong();
        SeededRuns.each(IS_LONG ? 1_000 : 700, seed -> {
            CoreWorld world = new CoreWorld(seed, true);
            world.run();
            worlds.incrementAndGet();
            troubles.addAndGet(world.troubles());
        });
        if (!SeededRuns.isOne()) {
            assertThat(troubles.get()).as("cuts and restarts").isGreaterThan(worlds.get());
        }
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
