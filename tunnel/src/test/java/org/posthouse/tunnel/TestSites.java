package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.posthouse.status.StreamStatus;
import org.posthouse.wan.WanEmulator;
import org.posthouse.wan.WanShape;
import org.posthouse.wan.WanWay;

/** Relays with an emulated network between them. Closing it fails if any relay saw a frame out of order, twice, or damaged. */
final class TestSites implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration POLL = Duration.ofMillis(10);

    private final Vertx vertx = Vertx.vertx();
    private final TestGrid grid;
    private final WanEmulator network;
    private final List<TestRelay> relays = new ArrayList<>();

    TestSites(Path folder) throws Exception {
        grid = new TestGrid(folder);
        network = WanEmulator.start(new Random(1));
    }

    /** One that others may dial. */
    LinkConfig listening(String relay) throws Exception {
        return grid.listening(relay, 1);
    }

    /** One that only dials. */
    LinkConfig dialling(String relay) throws Exception {
        return grid.config(relay, 1);
    }

    WanWay way(double delayMs, double megabitsPerSecond) {
        return way(WanShape.of(delayMs, megabitsPerSecond));
    }

    WanWay way(WanShape shape) {
        return network.way(shape);
    }

    /** The same configuration, dialling {@code to} over {@code way} too. */
    static LinkConfig dial(LinkConfig config, TestRelay to, WanWay way) {
        return config.peer(id(to), "127.0.0.1:" + way.lead(to.links.port()));
    }

    TestRelay start(LinkConfig config) throws Exception {
        TestRelay relay = new TestRelay(vertx, config);
        relays.add(relay);
        return relay.start();
    }

    static String id(TestRelay relay) {
        return relay.links.config().relay();
    }

    static void until(Callable<Boolean> condition) {
        await().pollInterval(POLL).atMost(PATIENCE).until(condition);
    }

    /** Looks for so many pings whether it stays so. */
    static void during(int pings, Callable<Boolean> condition) {
        await().pollInterval(POLL).during(Duration.ofMillis((long) pings * TestRelay.QUICK.pingMs())).atMost(PATIENCE).until(condition);
    }

    static void awaitUp(TestRelay one, TestRelay other) {
        until(() -> one.isUp(id(other)) && other.isUp(id(one)));
    }

    /** Waits until {@code relay}'s link to {@code other} goes these ways and no others. */
    static void awaitPaths(TestRelay relay, String other, String... paths) {
        until(() -> relay.isUp(other) && paths(relay, other).equals(List.of(paths)));
    }

    /** The ways of its lanes, as people are told, sorted. */
    static List<String> paths(TestRelay relay, String other) throws Exception {
        return relay.status(other).paths().stream().map(via -> new LinkPath(via).toString()).sorted().toList();
    }

    static void awaitLast(TestRelay relay, String from, long number) {
        until(() -> relay.failure != null || relay.last(from) >= number);
        assertThat(relay.failure).isNull();
        assertThat(relay.last(from)).isEqualTo(number);
    }

    static StreamStatus streams(TestRelay relay) throws Exception {
        return relay.call(relay.links::streamStatus);
    }

    @Override
    public void close() throws Exception {
        for (TestRelay relay : relays) {
            relay.close();
        }
        network.close();
        vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
        for (TestRelay relay : relays) {
            if (relay.failure != null) {
                throw relay.failure;
            }
        }
    }
}
