package org.posthouse.bench;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import org.posthouse.relay.RelayLoad;

/**
 * The baseline: a bare byte forwarder as one writes it with Vert.x, on one event loop. The first four bytes of a
 * connection name the loopback port that it is connected to.
 */
final class Forwarder extends VerticleBase {
    private static final String LOOPBACK = "127.0.0.1";

    private NetServer server;
    private NetClient client;

    @Override
    public Future<?> start() {
        client = vertx.createNetClient();
        server = vertx.createNetServer(new NetServerOptions().setHost(LOOPBACK).setPort(0)).connectHandler(this::accept);
        return server.listen();
    }

    int port() {
        return server.actualPort();
    }

    /** What its event loop has spent so far. */
    RelayLoad load() {
        Promise<RelayLoad> counted = Promise.promise();
        context.runOnContext(turn -> counted.complete(RelayLoad.ofThread()));
        return counted.future().await();
    }

    private void accept(NetSocket from) {
        from.handler(preface -> {
            from.pause();
            client.connect(preface.getInt(0), LOOPBACK)
                    .onSuccess(to -> join(from, to))
                    .onFailure(cause -> from.close());
        });
    }

    private static void join(NetSocket from, NetSocket to) {
        forward(from, to);
        forward(to, from);
        from.resume();
    }

    private static void forward(NetSocket from, NetSocket to) {
        from.handler(bytes -> {
            to.write(bytes);
            if (to.writeQueueFull()) {
                from.pause();
                to.drainHandler(drained -> from.resume());
            }
        });
        from.closeHandler(closed -> to.close());
    }
}
