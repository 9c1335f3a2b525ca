package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A frame is acknowledged when it was handled, and what was not is handed back when the relay that had it is gone. */
@ExtendWith(LeakWatch.class)
@Timeout(120)
class LinkHandledTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private static Path folder;

    private static Vertx vertx;
    private static TestGrid grid;

    private final List<TestRelay> relays = new ArrayList<>();
    private CuttingProxy proxy;

    @BeforeAll
    static void open() throws IOException {
        vertx = Vertx.vertx();
        grid = new TestGrid(folder);
    }

    @AfterAll
    static void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    @AfterEach
    void closeRelays() throws Exception {
        for (TestRelay relay : relays) {
            relay.close();
            if (relay.failure != null) {
                throw relay.failure;
            }
        }
        if (proxy != null) {
            proxy.close();
        }
    }

    @Test
    void unhandledFramesStayUnacknowledgedAcrossReconnect() throws Exception {
        TestRelay b = start(grid.listening("b", 1));
        proxy = new CuttingProxy(b.links.port(), () -> Long.MAX_VALUE);
        TestRelay a = start(grid.config("a", 1).peer("b", proxy.address()));
        b.handlesLater = true;
        send(a, 1, 100);
        awaitTrue(() -> b.last("a") == 100);
        proxy.cutAll();
        awaitTrue(() -> b.downs.size() == 1 && a.isUp("b"));
        send(a, 101, 120);
        awaitTrue(() -> b.last("a") == 120);
        assertThat(a.acknowledged.get()).as("nothing was handled").isZero();
        assertThat(a.status("b").waitingBytes()).isPositive();
        List<Long> names = new ArrayList<>(b.unhandled);
        long first = names.removeFirst();
        Collections.shuffle(names, new Random(5));
        for (long name : names) {
            b.handle("a", name);
        }
        assertThat(a.acknowledged.get()).as("the first is missing").isZero();
        b.handle("a", first);
        awaitTrue(() -> a.acknowledged.get() == 120 && a.status("b").waitingBytes() == 0);
    }

    @Test
    void framesThatARestartedRelayHadNotHandledAreHandedBackInOrder() throws Exception {
        int port = TestGrid.freePort();
        TestRelay first = start(grid.config("b", 1).listen("127.0.0.1", port));
        TestRelay a = start(grid.config("a", 1).peer("b", "127.0.0.1:" + port));
        awaitTrue(() -> a.isUp("b"));
        send(a, 1, 10);
        awaitTrue(() -> a.acknowledged.get() == 10);
        first.handlesLater = true;
        send(a, 11, 15);
        awaitTrue(() -> first.last("a") == 15);
        first.handle("a", first.unhandled.get(1));
        first.close();
        awaitTrue(() -> !a.isUp("b"));
        send(a, 16, 20);
        TestRelay second = start(grid.config("b", 2).listen("127.0.0.1", port));
        awaitTrue(() -> a.isUp("b"));
        assertThat(a.handedBack).containsExactlyElementsOf(LongStream.rangeClosed(11, 20).boxed().toList());
        send(a, 1, 3);
        awaitTrue(() -> second.last("a") == 3 && a.acknowledged.get() == 13);
    }

    /** What a relay that is no more had sent is still being handled: that says nothing of what its successor sends. */
    @Test
    void aFrameOfTheRelayBeforeMayBeHandledAfterItsEnd() throws Exception {
        TestRelay b = start(grid.listening("b", 1));
        TestRelay old = start(grid.config("a", 1).peer("b", "127.0.0.1:" + b.links.port()));
        b.handlesLater = true;
        awaitTrue(() -> old.isUp("b"));
        send(old, 1, 2);
        awaitTrue(() -> b.last("a") == 2);
        old.close();
        TestRelay young = start(grid.config("a", 2).peer("b", "127.0.0.1:" + b.links.port()));
        awaitTrue(() -> young.isUp("b"));
        send(young, 1, 1);
        awaitTrue(() -> b.unhandled.size() == 3);
        b.handle("a", b.unhandled.get(0));
        b.handle("a", b.unhandled.get(0));
        assertThat(young.acknowledged.get()).isZero();
        b.handle("a", b.unhandled.get(0));
        awaitTrue(() -> young.acknowledged.get() == 1);
    }

    private static void send(TestRelay from, long first, long last) throws Exception {
        Random random = new Random(first);
        for (long number = first; number <= last; number++) {
            from.send("b", Frames.send(number, 20, random));
        }
    }

    private interface Check {
        boolean isTrue() throws Exception;
    }

    private static void awaitTrue(Check check) {
        await().pollInterval(Duration.ofMillis(5)).atMost(PATIENCE).until(check::isTrue);
    }

    private TestRelay start(LinkConfig config) throws Exception {
        TestRelay relay = new TestRelay(vertx, config);
        relays.add(relay);
        return relay.start();
    }
}
