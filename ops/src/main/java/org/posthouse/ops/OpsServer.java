package org.posthouse.ops;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The running console of one process: health, metrics, API, live stream and page for all relays in it. Thread-safe.
 *
 * <p>It runs on one event loop of the given Vert.x, reads snapshots, and changes nothing but what it is ordered to by who has proved that he may:
 * the mode, whether a gateway is drained, and that a job ends. To look needs a proof too if {@link OpsConfig.Access#closed}, or if
 * the console has users.
 */
public final class OpsServer {

    private static final int BEAT_MS = 1_000;

    private final Vertx vertx;
    private final String deployment;
    private final OpsVerticle verticle;

    private OpsServer(Vertx vertx, String deployment, OpsVerticle verticle) {
        this.vertx = vertx;
        this.deployment = deployment;
        this.verticle = verticle;
    }

    /**
     * Opens the console for relays that may come and go.
     *
     * @param vertx    whose event loop it takes; the caller closes it
     * @param config   where to listen
     * @param views    the relays of now; called from the event loop on every request and beat, so it must not block
     * @param registry what {@code /metrics} shows; the relays' meters are added to it
     * @return the open console; fails with an {@link java.io.IOException} naming the address when it cannot be bound
     */
    public static Future<OpsServer> start(
            Vertx vertx, OpsConfig config, Supplier<List<RelayView>> views, PrometheusMeterRegistry registry) {
        return start(vertx, config, views, registry, BEAT_MS);
    }

    /** Opens the console for one relay; otherwise as the other {@code start}. */
    public static Future<OpsServer> start(
            Vertx vertx, OpsConfig config, RelayView relay, PrometheusMeterRegistry registry) {
        List<RelayView> relays = List.of(relay);
        return start(vertx, config, () -> relays, registry);
    }

    static Future<OpsServer> start(
            Vertx vertx,
            OpsConfig config,
            Supplier<List<RelayView>> views,
            PrometheusMeterRegistry registry,
            int beatMs) {
        return start(vertx, config, views, registry, beatMs, ConsoleConnections.FIRST_REQUEST_MS);
    }

    static Future<OpsServer> start(
            Vertx vertx,
            OpsConfig config,
            Supplier<List<RelayView>> views,
            PrometheusMeterRegistry registry,
            int beatMs,
            int firstRequestMs) {
        return start(vertx, config, views, registry, beatMs, firstRequestMs, () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    }

    static Future<OpsServer> start(
            Vertx vertx,
            OpsConfig config,
            Supplier<List<RelayView>> views,
            PrometheusMeterRegistry registry,
            int beatMs,
            int firstRequestMs,
            LongSupplier clock) {
        OpsVerticle verticle = new OpsVerticle(config, views, registry, beatMs, firstRequestMs, clock);
        return vertx.deployVerticle(verticle).map(deployment -> new OpsServer(vertx, deployment, verticle));
    }

    /** The TCP port it listens on, 1 to 65535. */
    public int port() {
        return verticle.port();
    }

    /**
     * Ends the live streams, closes the port and removes the relays' meters. Fails when it is closed already. The
     * system may let go of the port a few milliseconds after the future completes.
     */
    public Future<Void> close() {
        return vertx.undeploy(deployment);
    }

    EventStream stream() {
        return verticle.stream();
    }
}
