package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.relay.StoppedDisk;
import org.posthouse.relay.config.ModeChange;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;

/**
 * P3 with {@code --durability host}, by real relays of which one has a disk that stands still: the other site hears nothing of what
 * its ranks say, and nobody may go who has said something to them; none of its own prints what it has observed, or is told that it can
 * be started again from where it is; among themselves its ranks go on.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class HostGateTest {
    private static final int CONTEXT = 4;
    private static final Duration LONG = Duration.ofMillis(700);

    private final StoppedDisk disk = new StoppedDisk();
    private final CountDownLatch exchanged = new CountDownLatch(1);
    private final CountDownLatch arrived = new CountDownLatch(1);
    private final AtomicBoolean heard = new AtomicBoolean();
    private final AtomicBoolean saved = new AtomicBoolean();
    private final AtomicBoolean printed = new AtomicBoolean();

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

    /** Ranks 0 and 1 are at the site whose disk stands, 2 and 3 at the other, and rank 3 says goodbye at once. */
    private void play(Endpoint end) {
        switch (end.rank()) {
            case 0 -> {
                send(end, 2);
                send(end, 1);
                receive(end, 1);
                exchanged.countDown();
                end.vault().restored();
                saved.set(true);
            }
            case 1 -> {
                receive(end, 0);
                send(end, 0);
                receive(end, 3);
                arrived.countDown();
            }
            case 2 -> {
                receive(end, 0);
                heard.set(true);
            }
            default -> send(end, 1);
        }
    }

    private void standsAndGoesOn(RelayedWorld world) throws InterruptedException {
        try {
            assertThat(exchanged.await(60, TimeUnit.SECONDS)).as("one site goes on").isTrue();
            assertThat(arrived.await(60, TimeUnit.SECONDS)).as("what comes to it arrives").isTrue();
            Awaitility.await().during(LONG).failFast(() -> {
                assertThat(heard).as("the other site has heard").isFalse();
                assertThat(saved).as("a point to start from is said to be kept").isFalse();
                assertThat(world.gone()).as("ranks that have gone").isEmpty();
            }).until(() -> true);
        } finally {
            disk.goOn(); // Or the relay would not end.
        }
    }

    @Test
    void framesLeaveTheSiteOnlyAfterTheirDeterminantsAreSynced() throws Exception {
        try (RelayedWorld world = RelayedWorld.survivingHosts(disk, 2, 4)) {
            CompletableFuture<Void> ranks = CompletableFuture.runAsync(() -> world.run(this::play), task -> new Thread(task).start());
            standsAndGoesOn(world);
            ranks.join();
            assertThat(heard).isTrue();
            assertThat(saved).isTrue();
            assertThat(world.gone()).containsExactlyInAnyOrder(0, 1, 2, 3);
        }
    }

    /** There is no other way for the word that a send was taken back, which waits for the disk, than the connection that its rank is to leave. */
    @Test
    void rankMovesOnlyAfterFramesWaitingForTheDiskArrive() throws Exception {
        try (RelayedWorld world = RelayedWorld.survivingHosts(disk, 1, 2)) {
            CompletableFuture<Void> rank = CompletableFuture.runAsync(() -> world.run(end -> {
                if (end.rank() == 0) {
                    takeBack(end);
                } else {
                    print(end);
                }
            }), task -> new Thread(task).start());
            assertThat(exchanged.await(60, TimeUnit.SECONDS)).isTrue();
            CompletableFuture<List<ModeChange>> change = CompletableFuture.supplyAsync(() -> pooled(world), task -> new Thread(task).start());
            try {
                Awaitility.await().during(LONG).failFast(() -> {
                    assertThat(change).as("the ranks have moved").isNotDone();
                    assertThat(printed).as("what was observed may be printed").isFalse();
                }).until(() -> true);
            } finally {
                disk.goOn(); // Or the relay would not end.
            }
            rank.join();
            change.join();
            assertThat(printed).isTrue();
        }
    }

    private void takeBack(Endpoint end) {
        Operation offer = end.send(CONTEXT, 0, 0, region(new byte[1]).content(0, 1), SendMode.SYNCHRONOUS);
        exchanged.countDown();
        assertThat(end.cancel(offer)).isTrue();
    }

    private void print(Endpoint end) {
        assertThat(end.value(() -> 5)).isEqualTo(5);
        ((RelayEndpoint) end).awaitTold();
        printed.set(true);
    }

    private static List<ModeChange> pooled(RelayedWorld world) {
        try {
            return world.switchMode(ModeConfig.of(RelayConfig.Mode.POOLED));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
