package org.posthouse.ops;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.ServerSSLOptions;
import java.util.List;
import org.posthouse.ops.access.ConsoleTls;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has new connections use the certificate that the files have now: it is renewed while the relay runs. Confined to the console's event loop. */
final class CertificateReload {
    private static final Logger LOG = LoggerFactory.getLogger(CertificateReload.class);

    private final Vertx vertx;
    private final ConsoleTls files;
    private final HttpServer server;
    private final int everyTicks;
    private List<Object> stamp;
    private int ticks;
    private boolean looking;
    private String lastFault = "";

    CertificateReload(Vertx vertx, ConsoleTls files, HttpServer server, List<Object> stamp, int everyTicks) {
        this.vertx = vertx;
        this.files = files;
        this.server = server;
        this.stamp = stamp;
        this.everyTicks = everyTicks;
    }

    /** At each beat. */
    void tick() {
        if (looking || ++ticks % everyTicks != 0) {
            return;
        }
        looking = true;
        List<Object> known = stamp;
        vertx.executeBlocking(() -> known.equals(files.stamp()) ? null : files.load(), false)
                .compose(loaded -> loaded == null ? Future.succeededFuture() : use(loaded))
                .onComplete((done, fault) -> {
                    looking = false;
                    if (fault != null) {
                        keep(String.valueOf(fault.getMessage()));
                    }
                });
    }

    private Future<Void> use(ConsoleTls.Loaded loaded) {
        return server.updateSSLOptions(new ServerSSLOptions().setKeyCertOptions(loaded.options())).map(changed -> {
            stamp = loaded.stamp();
            lastFault = "";
            LOG.info("the console's certificate was read again; it is valid until {}", loaded.certificate().getNotAfter().toInstant());
            return null;
        });
    }

    /** Said once for each fault: certificate and key may be written one after the other. */
    private void keep(String fault) {
        if (!fault.equals(lastFault)) {
            lastFault = fault;
            LOG.warn("{}; the console keeps the certificate that was read before", fault);
        }
    }
}
