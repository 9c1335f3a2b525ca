package org.posthouse.tunnel;

import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import java.util.concurrent.TimeUnit;

/**
 * Takes peers' connections and lets in those that the grid's authority vouches for: those that come to its port, if it has one, and those that come over
 * other relays. Confined to the relay's context.
 *
 * <p>Limits: at most {@code connectionsMax} accepted connections are open, counted from the first packet on, and
 * each has {@code handshakeMs} and {@code helloMs} to say who it is.
 */
final class LinkAcceptor {
    private final Links links;
    private final NetServer server;
    private int open;

    LinkAcceptor(Links links, Vertx vertx) {
        this.links = links;
        LinkTimeouts timeouts = links.config().timeouts();
        NetServerOptions options = new NetServerOptions()
                .setTcpNoDelay(true)
                .setTcpKeepAlive(true)
                // A last resort behind the times of the handshake and of the link itself.
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setIdleTimeout(timeouts.handshakeMs() + timeouts.helloMs() + 2 * timeouts.silenceMs());
        this.server = vertx.createNetServer(options)
                .connectHandler(socket -> accept(((NetSocketInternal) socket).channelHandlerContext()));
    }

    Future<Void> listen() {
        LinkConfig config = links.config();
        return config.listens() ? server.listen(config.listenPort(), config.listenHost()).mapEmpty() : Future.succeededFuture();
    }

    int port() {
        return links.config().listens() ? server.actualPort() : 0;
    }

    Future<Void> close() {
        return server.close();
    }

    /** A connection that a peer has made. @param end what stands last in its pipeline */
    void accept(ChannelHandlerContext end) {
        String remote = FrameSocket.text(end.channel().remoteAddress());
        if (open >= links.config().connectionsMax()) {
            String detail = open + " accepted connections are open, the most allowed";
            links.refusalCounter().count(Refusal.LIMIT, remote, detail);
            end.close();
            return;
        }
        open++;
        end.channel().closeFuture().addListener(closed -> open--);
        links.tls().secure(end, false, new LinkTls.Outcome() {
            @Override
            public void onSecured(SiteCertificate peer) {
                new LinkConnection(links, peer).attach(end);
            }

            @Override
            public void onRefused(Refusal kind, String detail) {
                links.refusalCounter().count(kind, remote, detail);
            }
        });
    }
}
