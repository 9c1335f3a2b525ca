package org.posthouse.ops;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.posthouse.ops.access.ConsoleTls;
import org.posthouse.ops.access.Logins;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the console's HTTP server and the beat of its live streams, all on the one event loop it is deployed to.
 * Confined to that loop; {@link #port} may be read by any thread once the deployment succeeded.
 */
final class OpsVerticle extends VerticleBase {

    /** Connections open at once: 16 live streams, 6 connections of each of 16 browsers, and scrapers. */
    static final int CONNECTIONS_MAX = 128;

    /** Seconds without a byte in either direction after which a connection is closed. */
    static final int IDLE_TIMEOUT_S = 60;

    /** Beats between looks at the certificate's files. */
    static final int CERTIFICATE_TICKS = 10;

    static final int REQUEST_LINE_BYTES_MAX = 4_096;
    static final int HEADER_BYTES_MAX = 8_192;

    private static final Logger LOG = LoggerFactory.getLogger(OpsVerticle.class);

    private final OpsConfig config;
    private final Supplier<List<RelayView>> views;
    private final PrometheusMeterRegistry registry;
    private final MetricsPage metricsPage;
    private final EventStream stream;
    private final EventBoard events = new EventBoard(System.currentTimeMillis());
    private final SpeedHistory history = new SpeedHistory();
    private final LongSupplier clock;
    private GridStatus grid;
    private Logins logins;
    private final int beatMs;
    private final int firstRequestMs;
    private ConsoleConnections connections;
    private List<Meter> ownMeters = List.of();

    /** Written by the loop when the server listens, read by any thread. */
    private volatile int port;

    /** @param clock milliseconds, of any origin: of logins and sessions */
    OpsVerticle(
            OpsConfig config, Supplier<List<RelayView>> views, PrometheusMeterRegistry registry, int beatMs, int firstRequestMs, LongSupplier clock) {
        this.clock = clock;
        this.firstRequestMs = firstRequestMs;
        this.config = config;
        this.views = views;
        this.registry = registry;
        this.metricsPage = new MetricsPage(registry);
        this.stream = new EventStream(this::overview, events);
        this.beatMs = beatMs;
    }

    int port() {
        return port;
    }

    EventStream stream() {
        return stream;
    }

    /** What is kept although nobody looks. A view that fails shows in what asks it, and keeps no other from being asked. */
    private void look() {
        for (RelayView view : views.get()) {
            try {
                events.look(view);
            } catch (RuntimeException e) {
                LOG.debug("the events of a relay cannot be asked for", e);
            }
        }
        try {
            history.tick(Overview.of(views.get()).with(grid.entries()), System.currentTimeMillis());
        } catch (RuntimeException e) {
            LOG.debug("the counters of a relay cannot be asked for", e);
        }
    }

    /** For the live streams: who has one looks. */
    private Overview overview() {
        grid.watched();
        return Overview.of(views.get()).with(grid.entries());
    }

    @Override
    public Future<?> start() {
        grid = new GridStatus(context, views, events, System::currentTimeMillis);
        return Logins.open(vertx, config.access().users(), config.access().secret(), clock)
                .compose(opened -> {
                    logins = opened;
                    return vertx.executeBlocking(ConsoleAssets::load);
                })
                .compose(assets -> config.tls().isEmpty() ? listen(assets, Optional.empty())
                        : vertx.executeBlocking(config.tls().get()::load).compose(loaded -> listen(assets, Optional.of(loaded))));
    }

    @Override
    public Future<?> stop() {
        stream.close();
        if (logins != null) {
            logins.close();
        }
        metricsPage.close();
        ownMeters.forEach(registry::remove);
        return Future.succeededFuture();
    }

    private Future<HttpServer> listen(ConsoleAssets assets, Optional<ConsoleTls.Loaded> tls) {
        connections = new ConsoleConnections(vertx, CONNECTIONS_MAX, firstRequestMs);
        OpsRoutes routes = new OpsRoutes(vertx, views, new OpsRoutes.Known(grid, events, history, logins), registry, metricsPage, connections);
        Router router = routes.router(config, assets, stream);
        return vertx.createHttpServer(options(tls))
                .connectionHandler(connections::admit)
                .invalidRequestHandler(OpsVerticle::refuseUnreadable)
                .requestHandler(request -> {
                    connections.asked(request.connection());
                    router.handle(request);
                })
                .listen(config.port(), config.host())
                .recover(e -> Future.failedFuture(cannotListen(e)))
                .onSuccess(server -> opened(server, tls));
    }

    private void opened(HttpServer server, Optional<ConsoleTls.Loaded> tls) {
        port = server.actualPort();
        ownMeters = ownMeters();
        metricsPage.open();
        Optional<CertificateReload> certificate =
                tls.map(loaded -> new CertificateReload(vertx, config.tls().orElseThrow(), server, loaded.stamp(), CERTIFICATE_TICKS));
        vertx.setPeriodic(beatMs, timer -> {
            grid.tick();
            look();
            logins.tick();
            certificate.ifPresent(CertificateReload::tick);
            stream.tick();
        });
        LOG.info("console, API and metrics on {}://{}:{}/", tls.isPresent() ? "https" : "http", config.host(), port);
    }

    /** No WebSockets: their handlers would fail, and be logged, for each request beyond 128 that a client sends before it reads an answer. */
    private static HttpServerOptions options(Optional<ConsoleTls.Loaded> tls) {
        HttpServerOptions options = new HttpServerOptions()
                .setIdleTimeout(IDLE_TIMEOUT_S)
                .setIdleTimeoutUnit(TimeUnit.SECONDS)
                .setMaxInitialLineLength(REQUEST_LINE_BYTES_MAX)
                .setMaxHeaderSize(HEADER_BYTES_MAX)
                .setHttp2ClearTextEnabled(false)
                .setPerFrameWebSocketCompressionSupported(false)
                .setPerMessageWebSocketCompressionSupported(false)
                .setReuseAddress(true)
                .setUseAlpn(false);
        return tls.isEmpty() ? options : options.setSsl(true).setKeyCertOptions(tls.get().options());
    }

    /** Refuses a request that the HTTP codec could not read. Such a request never reaches a route. */
    private static void refuseUnreadable(HttpServerRequest request) {
        Throwable cause = request.decoderResult().cause();
        int status = 400;
        String error = "the request is not valid HTTP/1.1";
        if (cause instanceof TooLongHttpLineException) {
            status = 414;
            error = "the request line is longer than " + REQUEST_LINE_BYTES_MAX + " bytes, the limit";
        } else if (cause instanceof TooLongHttpHeaderException) {
            status = 431;
            error = "the headers are longer than " + HEADER_BYTES_MAX + " bytes, the limit";
        }
        request.response()
                .setStatusCode(status)
                .putHeader(HttpHeaders.CONTENT_TYPE, Responses.JSON)
                .end(OpsJson.error(status, error))
                .onComplete(sent -> request.connection().close());
    }

    private IOException cannotListen(Throwable cause) {
        return new IOException("the console cannot listen on " + config.host() + ":" + config.port() + ": "
                + cause.getMessage()
                + "; stop the other program or choose another port with --ops of posthouse relay (0 lets the system choose)",
                cause);
    }

    private List<Meter> ownMeters() {
        return List.of(
                Gauge.builder("posthouse.console.connections", connections.open(), AtomicInteger::get)
                        .description("HTTP connections open now").register(registry),
                FunctionCounter.builder("posthouse.console.connections.displaced", connections.displaced(), AtomicLong::get)
                        .description("connections closed to make room for newer ones").register(registry),
                Gauge.builder("posthouse.console.streams", stream, EventStream::openClients)
                        .description("live streams open now").register(registry),
                FunctionCounter.builder("posthouse.console.events.skipped", stream, EventStream::skippedEvents)
                        .description("live events not sent because the page did not read").register(registry));
    }
}
