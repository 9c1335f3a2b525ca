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
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;

/**
 * Takes peers' connections and lets in those that the grid's authority vouches for: those that come to its port, if it has one, and those that come over
 * other relays. Confined to the relay's context.
 *
 * <p>Limits: at most {@code connectionsMax} accepted connections are open, counted from the first packet on, and
 * each has {@code handshakeMs} and {@code helloMs} to say who it is. When there are so many, the oldest that has not ended its handshake makes room for a
 * new one: so those who only connect keep no relay out. Of those that have, a site has its {@link FairShare}.
 */
final class LinkAcceptor {
    private final Links links;
    private final NetServer server;

    /** Those of the open connections that have not ended their handshake, the oldest first. */
    private final SequencedSet<Newcomer> newcomers = new LinkedHashSet<>();

    private int open;

    /** Those that have ended it and are open, by the site of their certificate. */
    private final FairShare secured;

    LinkAcceptor(Links links, Vertx vertx) {
        this.links = links;
        this.secured = new FairShare(links.config().limits().connectionsMax());
        LinkTimeouts timeouts = links.config().timeouts();
        NetServerOptions options = new NetServerOptions()
                .setTcpNoDelay(true)
                .setTcpKeepAlive(true)
                // A last resort behind the times of the handshake and of LINK_HELLO; then LinkConnection watches.
                .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                .setIdleTimeout(timeouts.handshakeMs() + timeouts.helloMs() + 2 * timeouts.silenceMs());
        this.server = vertx.createNetServer(options)
                .connectHandler(socket -> accept(((NetSocketInternal) socket).channelHandlerContext()));
    }

    /** Opens the port, if there is one; a failure names it, as a relay has several. */
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

    /** A connection that a peer has made. @param end what stands last in its pipeline */
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

    /** A connection whose handshake goes on. */
    private final class Newcomer implements LinkTls.Outcome {
        private final ChannelHandlerContext end;
        private final String remote;

        /** Why it was closed here; empty if it was not. */
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
