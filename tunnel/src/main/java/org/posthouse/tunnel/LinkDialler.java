package org.posthouse.tunnel;

import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import java.util.random.RandomGenerator;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Reason;

/**
 * Makes connections to one peer, for one lane: one attempt at a time, and a growing pause between them. Confined to the relay's
 * context. It stops as soon as it has handed a connection over, and dials again when it is told so.
 */
final class LinkDialler {
    /** Who wants a connection. */
    interface Target {
        int lane();

        default void onDialling() {}

        default void onDialFailed(Notice why) {}

        /** There is a connection to the right site, on which nothing was said yet. */
        void onDialled(LinkConnection connection);
    }

    private final Links links;
    private final Link link;
    private final Target target;
    private final NetClient client;
    private final HostAndPort address;
    private final BackOff backOff;

    /** Counts attempts; what belongs to an older one is dropped when it arrives. */
    private int attempt;

    private ScheduledFuture<?> pause;
    private NetSocket dialling;

    /** A pause or an attempt is under way. */
    private boolean busy;

    LinkDialler(Links links, Link link, Target target) {
        this.links = links;
        this.link = link;
        this.target = target;
        this.client = links.client();
        this.address = links.config().addressOf(link.relay());
        LinkTimeouts timeouts = links.config().timeouts();
        this.backOff = new BackOff(timeouts.backOffMsMin(), timeouts.backOffMsMax(), RandomGenerator.getDefault());
    }

    /** Dials after a pause; a pause or an attempt that is under way ends. */
    void dialLater() {
        stop();
        busy = true;
        pause = links.after(backOff.nextMs(), this::dial);
    }

    /** Dials at once. */
    void dial() {
        stop();
        busy = true;
        int mine = attempt;
        target.onDialling();
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

    private void failed(Reason reason, String detail) {
        target.onDialFailed(Notice.closing(0, reason, detail));
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
            busy = false;
            LinkConnection connection = new LinkConnection(links, peer, link, target.lane());
            connection.attach(socket);
            String site = peer.site();
            if (RelayId.isOf(site, link.relay())) {
                target.onDialled(connection);
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
