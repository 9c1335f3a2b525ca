package org.posthouse.relay;

import io.vertx.core.Vertx;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;

/**
 * Makes the Vert.x of embedded relays on a thread of its own while the command's words are still read (docs/adr/0014): both take about as long, and neither
 * needs the other. One a process. A fault is told to whoever wants the Vert.x; of one that nobody wants nothing is left but what ends with the process.
 * Guarded by its class.
 */
public final class VertxPrestart {
    /** Null if none is begun, or it was taken. */
    private static CompletableFuture<Vertx> begun;

    private VertxPrestart() {}

    /** Begins with one of {@link LoopKind#DEFAULT}. */
    public static void begin() {
        LoggerFactory.getILoggerFactory(); // Whoever asks for a logger while another thread sets that up would be given one that is silent.
        begin(EmbeddedGrid::vertx);
    }

    /** The same, for tests. */
    static synchronized void begin(Supplier<Vertx> maker) {
        if (begun == null) {
            begun = CompletableFuture.supplyAsync(maker, task -> Thread.ofPlatform().daemon().name("posthouse-prestart").start(task));
        }
    }

    /** The one that was begun, or another if it is of another kind, or could not be made; the caller closes it. */
    public static Vertx take(LoopKind kind) {
        CompletableFuture<Vertx> early = withdraw();
        if (early == null) {
            return EmbeddedGrid.vertx(kind);
        }
        if (!kind.equals(LoopKind.DEFAULT)) {
            early.thenAccept(Vertx::close);
            return EmbeddedGrid.vertx(kind);
        }
        Vertx vertx = early.exceptionally(fault -> null).join();
        return vertx == null ? EmbeddedGrid.vertx(kind) : vertx; // Which fails in the same way, and says why.
    }

    private static synchronized CompletableFuture<Vertx> withdraw() {
        CompletableFuture<Vertx> early = begun;
        begun = null;
        return early;
    }
}
