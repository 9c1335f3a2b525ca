package org.posthouse.tunnel;

import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import java.util.random.RandomGenerator;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Reason;

/**
 * Makes connections to one peer: one attempt at a time, and a growing pause between them. Confined to the relay's
 * context. It stops as soon as it has handed a connection to its link, and dials again when the link says so.
 */
final class LinkDialler {
    private final Links links;
    private final Link link;
    private final NetClient client;
    private final HostAndPort address;
    private final BackOff backOff;

    /** Counts attempts; what belongs to an older one is dropped when it arrives. */
    private int attempt;

    private ScheduledFuture<?> pause;
    private NetSocket dialling;

    LinkDialler(Links links, Link link, NetClient client) {
        this.links = links;
        this.link = link;
        this.client = client;
        this.address = links.config().addressOf(link.relay());
        LinkTimeouts timeouts = links.config().timeouts();
        this.backOff = new BackOff(timeouts.backOffMsMin(), timeouts.backOffMsMax(), RandomGenerator.getDefault());
    }

    /** Dials after a pause; a pause or an attempt that is under way ends. */
    void dialLater() {
        stop();
        pause = links.after(backOff.nextMs(), this::dial);
    }

    /** Dials at once. */
    void dial() {
        stop();
        int mine = attempt;
        link.onDialling();
        client.connect(address.port(), address.host()).onComplete(connected -> {
            if (mine != attempt) {
                if (connected.succeeded()) {
                    connected.result().close();
                }
            } else if (connected.succeeded()) {
                dialling = connected.result();
                links.tls().secure(dialling, true, new Outcome(mine));
            } else {
                failed(Reason.SITE_UNREACHABLE, "cannot connect to " + address + ": " + connected.cause());
            }
        });
    }

    /** Ends a pause or an attempt that is under way. */
    void stop() {
        attempt++;
        if (pause != null) {
            pause.cancel(false);
            pause = null;
        }
        if (dialling != null) {
            dialling.close();
            dialling = null;
        }
    }

    /** The last connection was of use: the next pause is a short one. */
    void succeeded() {
        backOff.reset();
    }

    private void failed(Reason reason, String detail) {
        link.onDialFailed(Notice.closing(0, reason, detail));
        dialLater();
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
            NetSocket socket = dialling;
            dialling = null;
            LinkConnection connection = new LinkConnection(links, peer, true, link);
            connection.attach(socket);
            String site = peer.site();
            if (RelayId.isOf(site, link.relay())) {
                link.onDialled(connection);
            } else {
                String detail = "expected relay " + link.relay() + " at " + address + ", its certificate is for "
                        + (site.isEmpty() ? "no site" : "site " + site);
                links.refusalCounter().count(Refusal.WRONG_SITE, connection.toString(), detail);
                connection.close(Notice.closing(0, Reason.WRONG_SITE, detail));
                failed(Reason.WRONG_SITE, detail);
            }
        }

        @Override
        public void onRefused(Refusal kind, String detail) {
            if (mine != attempt) {
                return;
            }
            dialling = null;
            links.refusalCounter().count(kind, "relay " + link.relay() + " at " + address, detail);
            failed(Reason.SITE_UNREACHABLE, kind + " at " + address + ": " + detail);
        }
    }
}
