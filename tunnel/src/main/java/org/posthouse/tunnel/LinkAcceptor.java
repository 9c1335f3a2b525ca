package org.posthouse.tunnel;

import io.netty.channel.ChannelHandlerContext;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import java.util.LinkedHashSet;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;
import org.posthouse.causes.Causes;
import org.posthouse.keys.SiteCertificate;
import org.posthouse.tunnel.socket.FrameSocket;
import org.posthouse.tunnel.socket.LinkRefusal;
import org.posthouse.tunnel.socket.LinkTls;
import org.posthouse.tunnel.window.FairShare;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;

/**
 * Accepts peers' connections whose certificate is from the grid's authority. Connections arrive at the relay's port, if
 * it has one, or over other relays. Confined to the relay's context.
 *
 * <p>Limits: at most {@code connectionsMax} accepted connections are open, counted from the first packet. Each has
 * {@code handshakeMs} and {@code helloMs} to identify itself. At the limit, a new connection replaces the oldest one in
 * the handshake. So clients that only connect cannot block a relay. After the handshake, each site has its
 * {@link FairShare}.
 */
final class LinkAcceptor {
    private final Links links;
    private final NetServer server;

    /** Open connections whose handshake is not complete, the oldest first. */
    private final SequencedSet<Newcomer> newcomers = new LinkedHashSet<>();

    private int open;

    /** Open connections whose handshake is complete, by the site of their certificate. */
    private final FairShare secured;

    LinkAcceptor(Links links, Vertx vertx) {
        this.links = links;
        this.secured = new FairShare(links.config().limits().connectionsMax());
        LinkTimeouts timeouts = links.config().timeouts();
        NetServerOptions options = new NetServerOptions()
                .setTcpNoDelay(true)
                .setTcpKeepAlive(true)
                // A backstop for the limits on the handshake and LINK_HELLO; afterwards LinkConnection monitors the
                // connection.
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setIdleTimeout(timeouts.handshakeMs() + timeouts.helloMs() + 2 * timeouts.silenceMs());
        this.server = vertx.createNetServer(options)
                .connectHandler(socket -> accept(((NetSocketInternal) socket).channelHandlerContext()));
    }

    /** Opens the port, if there is one. A failure names the port, because a relay has several. */
    Future<Void> listen() {
        LinkConfig config = links.config();
        if (!config.listens()) {
            return Future.succeededFuture();
        }
        return server.listen(config.listenPort(), config.listenHost())
                .<Void>mapEmpty()
                .recover(cause -> Future.failedFuture(new IllegalStateException(
                        "relay " + config.relay() + " cannot listen for links at " + config.listenHost() + ":" + config.listenPort() + ": "
                                + Causes.text(cause) + "; stop the other program or choose another --links",
                        cause)));
    }

    int port() {
        return links.config().listens() ? server.actualPort() : 0;
    }

    Future<Void> close() {
        return server.close();
    }

    /**
     * Handles a connection that a peer has made.
     *
     * @param end the last handler of its pipeline
     */
    void accept(ChannelHandlerContext end) {
        String remote = FrameSocket.text(end.channel().remoteAddress());
        if (open >= links.config().limits().connectionsMax()) {
            String detail = open + " accepted connections are open, the most allowed";
            if (newcomers.isEmpty()) {
                links.refusalCounter().count(LinkRefusal.LIMIT, remote, detail);
                end.close();
                return;
            }
            newcomers.removeFirst().makeRoom(detail + ", and this is the oldest that has not ended its handshake");
        }
        open++;
        end.channel().closeFuture().addListener(closed -> open--);
        Newcomer newcomer = new Newcomer(end, remote);
        newcomers.add(newcomer);
        links.tls().secure(end, false, newcomer);
    }

    /** A connection in the handshake. */
    private final class Newcomer implements LinkTls.Outcome {
        private final ChannelHandlerContext end;
        private final String remote;

        /** Why this end closed it; empty if it did not. */
        private String closedFor = "";

        private Newcomer(ChannelHandlerContext end, String remote) {
            this.end = end;
            this.remote = remote;
        }

        private void makeRoom(String why) {
            closedFor = why;
            end.close();
        }

        @Override
        public void onSecured(SiteCertificate peer) {
            newcomers.remove(this);
            LinkConnection connection = new LinkConnection(links, peer);
            connection.attach(end);
            String site = peer.site();
            if (secured.tryTake(site)) {
                end.channel().closeFuture().addListener(closed -> secured.giveBack(site));
                return;
            }
            String detail = secured.of(site) + " of " + secured.taken() + " accepted connections are of site " + site + ", at most "
                    + links.config().limits().connectionsMax() + " are open, and " + FairShare.RULE;
            links.refusalCounter().count(LinkRefusal.LIMIT, connection.toString(), detail);
            connection.close(CloseNotice.closing(0, CloseReason.LIMIT, detail));
        }

        @Override
        public void onRefused(LinkRefusal kind, String detail) {
            newcomers.remove(this);
            boolean here = !closedFor.isEmpty();
            links.refusalCounter().count(here ? LinkRefusal.LIMIT : kind, remote, here ? closedFor : detail);
        }
    }
}
