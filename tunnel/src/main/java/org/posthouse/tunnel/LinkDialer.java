package org.posthouse.tunnel;

import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Future;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.SocketAddress;
import java.net.InetSocketAddress;
import java.util.random.RandomGenerator;
import org.posthouse.causes.Causes;
import org.posthouse.keys.RelayId;
import org.posthouse.keys.SiteCertificate;
import org.posthouse.tunnel.socket.BackOff;
import org.posthouse.tunnel.socket.LinkRefusal;
import org.posthouse.tunnel.socket.LinkTls;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;

/**
 * Dials one peer for one lane: one attempt at a time, with a growing delay between attempts. Confined to the relay's
 * context. It stops once it has handed a connection over, and dials again only on request.
 */
final class LinkDialer {
    /** The user of the connection. */
    interface Target {
        int lane();

        /** The path to use after this many failed attempts; null if there is none. */
        LinkPath path(int failures);

        default void onDialling() {}

        default void onDialFailed(CloseNotice why) {}

        /** Receives a connection to the right site, on which nothing was sent yet. */
        void onDialled(LinkConnection connection);
    }

    private final Links links;
    private final Link link;
    private final Target target;
    private final BackOff backOff;

    /** Number of the current attempt; late results of older attempts are dropped. */
    private int attempt;

    private ScheduledFuture<?> pause;
    private ChannelHandlerContext dialling;

    /** The path of this attempt. */
    private LinkPath path = LinkPath.DIRECT;

    private int failures;

    /** Index of the address to dial among those of the peer's host; the next one after each failed attempt. */
    private int turn;

    /** True while a delay or an attempt is running. */
    private boolean busy;

    LinkDialer(Links links, Link link, Target target) {
        this.links = links;
        this.link = link;
        this.target = target;
        LinkTimeouts timeouts = links.config().timeouts();
        this.backOff = new BackOff(timeouts.backOffMsMin(), timeouts.backOffMsMax(), RandomGenerator.getDefault());
    }

    /** Dials after a delay; cancels a running delay or attempt. */
    void dialLater() {
        stop();
        busy = true;
        pause = links.after(backOff.nextMs(), this::dial);
    }

    /** Dials at once, or not at all if there is no path. */
    void dial() {
        stop();
        path = target.path(failures);
        if (path == null) {
            return;
        }
        busy = true;
        int mine = attempt;
        target.onDialling();
        connect().onComplete(connected -> {
            if (mine != attempt) {
                if (connected.succeeded()) {
                    connected.result().close();
                }
            } else if (connected.succeeded()) {
                dialling = connected.result();
                links.tls().secure(dialling, true, new Outcome(mine));
            } else {
                handshakeEnded(false);
                failed(CloseNotice.closing(0, CloseReason.SITE_UNREACHABLE, "cannot connect " + (path.isDirect() ? "to " + written() : path) + ": "
                        + Causes.text(connected.cause())));
            }
        });
    }

    private Future<ChannelHandlerContext> connect() {
        if (!path.isDirect()) {
            return links.paths().open(link.relay(), path);
        }
        HostAndPort peer = links.config().addressOf(link.relay());
        return links.addresses(peer.host())
                .map(all -> new InetSocketAddress(all[turn % all.length], peer.port()))
                .compose(address -> links.client().connect(SocketAddress.inetSocketAddress(address)))
                .map(socket -> ((NetSocketInternal) socket).channelHandlerContext());
    }

    private String where() {
        return path.isDirect() ? "at " + written() : path.toString();
    }

    /** The configured address; an IPv6 address is in brackets. */
    private String written() {
        return links.config().peers().get(link.relay());
    }

    /** The current path, or the last one. */
    LinkPath path() {
        return path;
    }

    /** Cancels a running delay or attempt. */
    void stop() {
        attempt++;
        busy = false;
        if (pause != null) {
            pause.cancel(false);
            pause = null;
        }
        if (dialling != null) {
            dialling.close();
            dialling = null;
        }
    }

    /** Whether a requested connection was not handed over yet. */
    boolean isBusy() {
        return busy;
    }

    /** Resets the delay, because the last connection made progress. */
    void succeeded() {
        backOff.reset();
    }

    private void handshakeEnded(boolean timedOut) {
        if (path.isDirect()) {
            link.onHandshakeEnded(timedOut);
        }
    }

    private void failed(CloseNotice why) {
        failures++;
        turn++;
        dialLater();
        target.onDialFailed(why);
    }

    private final class Outcome implements LinkTls.Outcome {
        private final int mine;

        Outcome(int mine) {
            this.mine = mine;
        }

        @Override
        public void onSecured(SiteCertificate peer) {
            if (mine != attempt) {
                return;
            }
            ChannelHandlerContext end = dialling;
            dialling = null;
            busy = false;
            failures = 0;
            handshakeEnded(false);
            LinkConnection connection = new LinkConnection(links, peer, link, target.lane());
            connection.attach(end);
            String site = peer.site();
            if (!RelayId.isOf(site, link.relay())) {
                refuse(connection, CloseReason.WRONG_SITE, "expected relay " + link.relay() + " " + where() + ", its certificate is for "
                        + (site.isEmpty() ? "no site" : "site " + site));
            } else if (links.keys().isRevoked(peer)) {
                refuse(connection, CloseReason.REVOKED, Links.revoked(connection));
            } else {
                target.onDialled(connection);
            }
        }

        /**
         * Refuses a connection before anything is sent on it. A peer that received LINK_HELLO would consider the link
         * up.
         */
        private void refuse(LinkConnection connection, CloseReason closeReason, String detail) {
            links.refusalCounter().count(LinkRefusal.of(closeReason), connection.toString(), detail);
            CloseNotice why = CloseNotice.closing(0, closeReason, detail);
            connection.close(why);
            failed(why);
        }

        @Override
        public void onRefused(LinkRefusal kind, String detail) {
            if (mine != attempt) {
                return;
            }
            dialling = null;
            handshakeEnded(kind == LinkRefusal.TIMEOUT);
            links.refusalCounter().count(kind, "relay " + link.relay() + " " + where(), detail);
            failed(kind.notice(where(), detail));
        }
    }
}
