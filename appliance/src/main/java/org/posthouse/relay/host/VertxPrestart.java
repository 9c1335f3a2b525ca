package org.posthouse.relay.host;

import io.vertx.core.Vertx;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.posthouse.relay.config.EventLoopKind;
import org.slf4j.LoggerFactory;

/**
 * Creates the Vert.x instance of embedded relays on a thread of its own while the command still parses its arguments
 * (docs/adr/0014). Both take about as long, and neither needs the other. One instance per process. A failure is
 * reported to the caller of {@link #take}. An instance that nobody takes ends with the process. Guarded by its class.
 */
public final class VertxPrestart {
    /** Null if none was begun, or it was taken. */
    private static CompletableFuture<Vertx> begun;

    private VertxPrestart() {}

    /** Begins with an instance of {@link EventLoopKind#DEFAULT}. */
    public static void begin() {
        LoggerFactory.getILoggerFactory(); // Loggers requested during initialisation would be silent.
        begin(EmbeddedGrid::vertx);
    }

    /** The same, for tests. */
    static synchronized void begin(Supplier<Vertx> maker) {
        if (begun == null) {
            begun = CompletableFuture.supplyAsync(maker, task -> Thread.ofPlatform().daemon().name("posthouse-prestart").start(task));
        }
    }

    /**
     * The instance that was begun; another one if it has another kind of loops or could not be created. The caller
     * closes it.
     */
    public static Vertx take(EventLoopKind kind) {
        CompletableFuture<Vertx> early = withdraw();
        if (early == null) {
            return EmbeddedGrid.vertx(kind);
        }
        if (!kind.equals(EventLoopKind.DEFAULT)) {
            early.thenAccept(Vertx::close);
            return EmbeddedGrid.vertx(kind);
        }
        Vertx vertx = early.exceptionally(fault -> null).join();
        return vertx == null ? EmbeddedGrid.vertx(kind) : vertx; // It fails in the same way, and says why.
    }

    private static synchronized CompletableFuture<Vertx> withdraw() {
        CompletableFuture<Vertx> early = begun;
        begun = null;
        return early;
    }
}
