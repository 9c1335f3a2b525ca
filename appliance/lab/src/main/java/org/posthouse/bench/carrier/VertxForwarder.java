package org.posthouse.bench.carrier;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import org.posthouse.relay.ResourceUsage;

/** A bare forwarder as one writes it with Vert.x, on one event loop. */
public final class VertxForwarder extends VerticleBase implements Forwarder {
    private static final String LOOPBACK = "127.0.0.1";

    private NetServer server;
    private NetClient client;

    /** Starts one on an event loop of {@code vertx}; blocks until it listens. */
    public static VertxForwarder start(Vertx vertx) {
        VertxForwarder forwarder = new VertxForwarder();
        vertx.deployVerticle(forwarder).await();
        return forwarder;
    }

    @Override
    public Future<?> start() {
        client = vertx.createNetClient();
        server = vertx.createNetServer(new NetServerOptions().setHost(LOOPBACK).setPort(0)).connectHandler(this::accept);
        return server.listen();
    }

    @Override
    public int port() {
        return server.actualPort();
    }

    @Override
    public ResourceUsage load() {
        Promise<ResourceUsage> counted = Promise.promise();
        context.runOnContext(turn -> counted.complete(ResourceUsage.ofThread(Thread.currentThread())));
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

    @Override
    public void close() {
        vertx.undeploy(deploymentID()).await();
    }
}
