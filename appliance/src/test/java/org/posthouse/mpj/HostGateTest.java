package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.relay.StoppedDisk;

/**
 * P3 with {@code --durability host}, by real relays on a disk that stands still: the other site hears nothing, and no rank may go,
 * while ranks of one site go on among themselves.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HostGateTest {
    private static final int CONTEXT = 4;
    private static final Duration LONG = Duration.ofMillis(700);

    private final StoppedDisk disk = new StoppedDisk();
    private final CountDownLatch exchanged = new CountDownLatch(1);
    private final AtomicBoolean heard = new AtomicBoolean();

    private static void send(Endpoint end, int destination) {
        end.await(end.send(CONTEXT, destination, 0, region(new byte[] {7}).content(0, 1)));
    }

    private static void receive(Endpoint end, int source) {
        byte[] got = new byte[1];
        end.await(end.receive(CONTEXT, source, 0, region(got).sink(0, 1)));
        assertThat(got).containsExactly(7);
    }

    private static Region region(byte[] array) {
        return new Region(Base.BYTE, Layout.ONE, array, 0);
    }

    /** Ranks 0 and 1 are at one site, 2 and 3 at the other. */
    private void play(Endpoint end, RelayedWorld world) {
        switch (end.rank()) {
            case 0 -> {
                send(end, 2);
                send(end, 1);
                receive(end, 1);
                exchanged.countDown();
            }
            case 1 -> {
                receive(end, 0);
                send(end, 0);
            }
            case 2 -> {
                receive(end, 0);
                heard.set(true);
            }
            default -> standsAndGoesOn(world);
        }
    }

    private void standsAndGoesOn(RelayedWorld world) {
        try {
            assertThat(exchanged.await(30, TimeUnit.SECONDS)).as("one site goes on").isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        Awaitility.await().during(LONG).atMost(LONG.multipliedBy(10)).failFast(() -> {
            assertThat(heard).as("the other site has heard").isFalse();
            assertThat(world.gone()).as("ranks that have gone").isEmpty();
        }).until(() -> true);
        disk.goOn();
    }

    @Test
    void nothingLeavesTheSiteBeforeTheDiskHasWhatItDependsOn() throws Exception {
        try (RelayedWorld world = RelayedWorld.survivingHosts(disk, 2, 4)) {
            world.run(end -> play(end, world));
            assertThat(world.gone()).containsExactlyInAnyOrder(0, 1, 2, 3);
        } finally {
            disk.goOn(); // Or the relays would not end.
        }
    }
}
