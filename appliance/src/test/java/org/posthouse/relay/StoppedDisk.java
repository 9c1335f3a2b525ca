package org.posthouse.relay;

import io.vertx.core.Vertx;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.posthouse.logstore.LogSync;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.host.EmbeddedGrid;

/** The first site's disk, which takes everything and makes nothing safe until it is let go, or fails: a sync begins, and does not end. */
public final class StoppedDisk {
    private final CountDownLatch goesOn = new CountDownLatch(1);
    private boolean given;
    private volatile boolean fails;

    /** Relays with logs, one a site; the first one's is on this disk. */
    public EmbeddedGrid grid(Vertx vertx, int sites) throws IOException {
        return EmbeddedGrid.start(
                vertx, sites, 1, Optional.of(LogLimits.DEFAULT), ModeConfig.of(RelayConfig.Mode.MULTIPLEXED), this::stands, links -> links);
    }

    /** The disk of the first of those that ask. */
    public Supplier<LogSync> stands(Supplier<LogSync> log) {
        if (given) {
            return log;
        }
        given = true;
        return () -> {
            try {
                goesOn.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            if (fails) {
                throw new IllegalStateException("no disk");
            }
            return log.get();
        };
    }

    public void fail() {
        fails = true;
        goOn();
    }

    public void goOn() {
        goesOn.countDown();
    }
}
