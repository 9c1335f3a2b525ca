package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.posthouse.core.Parcel;
import org.posthouse.core.Peer;
import org.posthouse.ops.LinkView;
import org.posthouse.tunnel.LinkConfig;
import org.posthouse.tunnel.LinkStatus;
import org.posthouse.tunnel.Links;
import org.posthouse.tunnel.Refusal;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Stall;
import org.posthouse.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** The shards' way to other sites, over the tunnel's links. Confined to the relay's control strand. */
final class LinkPort implements Links.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(LinkPort.class);

    private final Relay relay;
    private final ArrivedFrame arrived = new ArrivedFrame();
    private final FrameBuilder frames = new FrameBuilder();
    private final Map<String, Promise<Void>> contacts = new HashMap<>();
    private final Map<String, SitePeer> peers = new HashMap<>();
    private final Map<String, LinkFlow> flows = new HashMap<>();
    private Links links;
    private String host = "";

    LinkPort(Relay relay) {
        this.relay = relay;
    }

    Future<Void> start(Context context, Optional<LinkConfig> config) {
        if (config.isEmpty()) {
            return Future.succeededFuture();
        }
        host = config.get().listenHost();
        links = new Links(context, config.get(), this);
        return links.start();
    }

    Future<Void> close() {
        return links == null ? Future.succeededFuture() : links.close();
    }

    int port() {
        return links == null ? 0 : links.port();
    }

    /** Where other sites dial this relay, as host:port; empty if they cannot. */
    String address() {
        return port() == 0 ? "" : host + ":" + port();
    }

    /** Done once there was contact with all of {@code sites}: from then on frames for them are kept through any cut. */
    Future<Void> contacted(Collection<String> sites, long timeoutMs) {
        if (links == null && !sites.isEmpty()) {
            return Future.failedFuture("no way to sites " + sites + ": relay " + relay.id()
                    + " has no links; start it with --keys and --peer or --links");
        }
        List<Future<Void>> waiting = new ArrayList<>();
        for (String site : Set.copyOf(sites)) {
            Future<Void> contact = contact(site).future();
            waiting.add(contact.isComplete() ? contact : contact.timeout(timeoutMs, TimeUnit.MILLISECONDS)
                    .recover(late -> Future.failedFuture("no link to site " + site + " within " + timeoutMs + " ms: " + stateOf(site))));
        }
        return Future.all(waiting).mapEmpty();
    }

    private String stateOf(String site) {
        return links.status().stream()
                .filter(status -> status.site().equals(site))
                .findFirst()
                .map(status -> status.state() + " " + status.lastReason())
                .orElse("it is no peer of relay " + relay.id() + " and has not dialled it");
    }

    private Promise<Void> contact(String site) {
        return contacts.computeIfAbsent(site, unseen -> Promise.promise());
    }

    /** The relay at {@code site}, as the shards see it. */
    Peer peer(String site) {
        return peers.computeIfAbsent(site, SitePeer::new);
    }

    @Override
    public void onFrame(String site, ByteBuf buffer, int index, int length, FrameView view) {
        try {
            Peer peer = peer(site);
            FrameType type = view.type();
            flow(site).in(type, length);
            if (type == FrameType.BLOCKED || type == FrameType.MISMATCH) {
                stalled(peer, type, Stall.decode(Connection.copy(buffer, index, length)));
            } else {
                relay.shards().addressed(view).fromLink(peer, arrived, buffer, index, length, view);
            }
        } catch (WireException e) {
            fail(view.job(), e.reason(), e.getMessage() + ", from site " + site);
        } catch (RuntimeException e) {
            // Ours, not the peer's: the link would bring the same frame again for ever. The job it is for pays.
            LOG.error("{}: a frame from site {} cannot be handled: {}", relay.id(), site, view, e);
            fail(view.job(), Reason.INTERNAL, e.toString());
        }
    }

    /** Every shard judges what blocked ranks say; a verdict is for one rank. */
    private void stalled(Peer peer, FrameType type, Stall stall) {
        if (type == FrameType.BLOCKED) {
            relay.shards().each(shard -> shard.core().stalled(peer, type, stall));
        } else {
            Shard shard = relay.shards().of(stall.job(), stall.rank());
            shard.strand().submit(() -> shard.core().stalled(peer, type, stall));
        }
    }

    private void fail(long job, Reason reason, String detail) {
        Shard shard = relay.shards().of(job, 0);
        shard.strand().submit(() -> shard.core().failJob(job, reason, detail));
    }

    @Override
    public void onUp(String site, String relayId) {
        LOG.info("{}: link to site {} (relay {}) is up", relay.id(), site, relayId);
        contact(site).tryComplete();
    }

    @Override
    public void onDown(String site, Notice why) {
        LOG.atLevel(why.reason() == Reason.RELAY_STOPPING ? Level.INFO : Level.WARN)
                .log("{}: link to site {} is down: {}: {}", relay.id(), site, why.reason(), why.text());
    }

    @Override
    public void onForgotten(String site) {
        LOG.warn("{}: the relay at site {} was restarted", relay.id(), site);
        Peer peer = peer(site);
        relay.shards().each(shard -> shard.core().forgotten(peer));
    }

    private LinkFlow flow(String site) {
        return flows.computeIfAbsent(site, unseen -> new LinkFlow());
    }

    /** What each link has carried, if anything, by the site at its far end. */
    Map<String, FlowBook.Counts> carried() {
        if (links != null) {
            links.status().forEach(link -> flow(link.site()));
        }
        Map<String, FlowBook.Counts> carried = new HashMap<>();
        flows.forEach((site, flow) -> carried.put(site, flow.counts()));
        return carried;
    }

    /** Connections that did not become a link, by kind. */
    Map<Refusal, Long> refusals() {
        return links == null ? Map.of() : links.refusals();
    }

    /** The links as the console shows them. */
    List<LinkView> views() {
        return links == null ? List.of() : links.status().stream().map(LinkPort::view).toList();
    }

    private static LinkView view(LinkStatus status) {
        return new LinkView(
                status.site(),
                LinkView.State.valueOf(status.state().name()),
                status.since().toEpochMilli(),
                status.framesIn(),
                status.framesOut(),
                status.bytesIn(),
                status.bytesOut(),
                Math.max(0, status.roundTripMicros()),
                status.unacknowledgedBytes(),
                status.framesRetransmitted());
    }

    /** A relay behind a link. Called inside any shard's strand; what is to be sent is handed to the control strand. */
    private final class SitePeer implements Peer {
        private final String site;

        private SitePeer(String site) {
            this.site = site;
        }

        @Override
        public boolean forward(Parcel frame) {
            ByteBuf bytes = ((BufferParcel) frame).take();
            if (links == null) {
                bytes.release();
                return false;
            }
            relay.control().submit(() -> {
                flow(site).out(bytes);
                links.send(site, bytes);
            });
            return true;
        }

        @Override
        public void clear(long job, int context, int source, int destination, long sequence, long upTo) {
            relay.control().submit(() -> links.send(site, frames.clear(job, context, source, destination, sequence, upTo)));
        }

        @Override
        public void withdraw(long job, int context, int source, int destination, long sequence) {
            relay.control().submit(() -> links.send(site, frames.withdraw(job, context, source, destination, sequence)));
        }

        @Override
        public void withdrawn(long job, int context, int source, int destination, long sequence, boolean gone) {
            relay.control()
                    .submit(() -> links.send(site, frames.withdrawn(job, context, source, destination, sequence, gone)));
        }

        @Override
        public void stall(FrameType type, Stall stall) {
            relay.control().submit(() -> {
                // A diagnosis that is repeated takes no memory of a link that is cut.
                if (links.writable(site)) {
                    links.send(site, Unpooled.wrappedBuffer(stall.encode(type)));
                }
            });
        }

        @Override
        public void credit(long job, int rank, long bytes, int messages) {
            relay.control().submit(() -> links.send(site, frames.credit(job, rank, bytes, messages)));
        }

        @Override
        public String toString() {
            return "site " + site;
        }
    }
}
