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
import org.posthouse.keys.SiteCertificate;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;

/**
 * Makes connections to one peer, for one lane: one attempt at a time, and a growing pause between them. Confined to the relay's
 * context. It stops as soon as it has handed a connection over, and dials again when it is told so.
 */
final class LinkDialler {
    /** Who wants a connection. */
    interface Target {
        int lane();

        /** The way to go after so many attempts that failed; null if there is none. */
        LinkPath path(int failures);

        default void onDialling() {}

        default void onDialFailed(CloseNotice why) {}

        /** There is a connection to the right site, on which nothing was said yet. */
        void onDialled(LinkConnection connection);
    }

    private final Links links;
    private final Link link;
    private final Target target;
    private final BackOff backOff;

    /** Counts attempts; what belongs to an older one is dropped when it arrives. */
    private int attempt;

    private ScheduledFuture<?> pause;
    private ChannelHandlerContext dialling;

    /** The way of this attempt. */
    private LinkPath path = LinkPath.DIRECT;

    private int failures;

    /** Which of the addresses of the peer's host is dialled: the next one behind each attempt that failed. */
    private int turn;

    /** A pause or an attempt is under way. */
    private boolean busy;

    LinkDialler(Links links, Link link, Target target) {
        this.links = links;
        this.link = link;
        this.target = target;
        LinkTimeouts timeouts = links.config().timeouts();
        this.backOff = new BackOff(timeouts.backOffMsMin(), timeouts.backOffMsMax(), RandomGenerator.getDefault());
    }

    /** Dials after a pause; a pause or an attempt that is under way ends. */
    void dialLater() {
        stop();
        busy = true;
        pause = links.after(backOff.nextMs(), this::dial);
    }

    /** Dials at once; not at all if there is no way. */
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

    /** The address as it was given, an IPv6 address in brackets. */
    private String written() {
        return links.config().peers().get(link.relay());
    }

    /** The way that it goes, or went last. */
    LinkPath path() {
        return path;
    }

    /** Ends a pause or an attempt that is under way. */
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

    /** Whether it has not handed the connection over yet that it was told to make. */
    boolean isBusy() {
        return busy;
    }

    /** The last connection was of use: the next pause is a short one. */
    void succeeded() {
        backOff.reset();
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

        /** Before anything is said on it: a peer that was greeted takes the link for one that is up. */
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
            links.refusalCounter().count(kind, "relay " + link.relay() + " " + where(), detail);
            failed(kind.notice(where(), detail));
        }
    }
}
