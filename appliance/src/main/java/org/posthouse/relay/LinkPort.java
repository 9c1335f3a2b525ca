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

/** The shards' way to other relays, over the tunnel's links. Confined to the relay's control strand. */
final class LinkPort implements Links.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(LinkPort.class);

    private final Relay relay;
    private final ArrivedFrame arrived = new ArrivedFrame();
    private final FrameBuilder frames = new FrameBuilder();
    private final Map<String, Promise<Void>> contacts = new HashMap<>();
    private final Map<String, RelayPeer> peers = new HashMap<>();
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

    /** Where other relays dial this one, as host:port; empty if they cannot. */
    String address() {
        return port() == 0 ? "" : host + ":" + port();
    }

    /** Done once there was contact with all of {@code others}: from then on frames for them are kept through any cut. */
    Future<Void> contacted(Collection<String> others, long timeoutMs) {
        if (links == null && !others.isEmpty()) {
            return Future.failedFuture("no way to relays " + others + ": relay " + relay.id()
                    + " has no links; start it with --keys and --peer or --links");
        }
        List<Future<Void>> waiting = new ArrayList<>();
        for (String other : Set.copyOf(others)) {
            Future<Void> contact = contact(other).future();
            waiting.add(contact.isComplete() ? contact : contact.timeout(timeoutMs, TimeUnit.MILLISECONDS)
                    .recover(late -> Future.failedFuture(
                            "no link to relay " + other + " within " + timeoutMs + " ms: " + stateOf(other))));
        }
        return Future.all(waiting).mapEmpty();
    }

    private String stateOf(String other) {
        return links.status().stream()
                .filter(status -> status.relay().equals(other))
                .findFirst()
                .map(status -> status.state() + " " + status.lastReason())
                .orElse("it is no --peer of relay " + relay.id() + " and has not dialled it");
    }

    private Promise<Void> contact(String other) {
        return contacts.computeIfAbsent(other, unseen -> Promise.promise());
    }

    /** Another relay by its id, as the shards see it. */
    Peer peer(String other) {
        return peers.computeIfAbsent(other, RelayPeer::new);
    }

    @Override
    public void onFrame(String from, ByteBuf buffer, int index, int length, FrameView view) {
        try {
            Peer peer = peer(from);
            FrameType type = view.type();
            flow(from).in(type, length);
            if (type == FrameType.BLOCKED || type == FrameType.MISMATCH) {
                stalled(peer, type, Stall.decode(Connection.copy(buffer, index, length)));
            } else {
                relay.shards().addressed(view).fromLink(peer, arrived, buffer, index, length, view);
            }
        } catch (WireException e) {
            fail(view.job(), e.reason(), e.getMessage() + ", from relay " + from);
        } catch (RuntimeException e) {
            // Ours, not the peer's: the link would bring the same frame again for ever. The job it is for pays.
            LOG.error("{}: a frame from relay {} cannot be handled: {}", relay.id(), from, view, e);
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
    public void onUp(String other, long epoch) {
        LOG.info("{}: link to relay {} (epoch {}) is up", relay.id(), other, epoch);
        contact(other).tryComplete();
    }

    @Override
    public void onDown(String other, Notice why) {
        LOG.atLevel(why.reason() == Reason.RELAY_STOPPING ? Level.INFO : Level.WARN)
                .log("{}: link to relay {} is down: {}: {}", relay.id(), other, why.reason(), why.text());
    }

    @Override
    public void onForgotten(String other) {
        LOG.warn("{}: relay {} was restarted", relay.id(), other);
        Peer peer = peer(other);
        relay.shards().each(shard -> shard.core().peerRestarted(peer, List.of()));
    }

    private LinkFlow flow(String other) {
        return flows.computeIfAbsent(other, unseen -> new LinkFlow());
    }

    /** What each link has carried, if anything, by the relay at its far end. */
    Map<String, FlowBook.Counts> carried() {
        if (links != null) {
            links.status().forEach(link -> flow(link.relay()));
        }
        Map<String, FlowBook.Counts> carried = new HashMap<>();
        flows.forEach((other, flow) -> carried.put(other, flow.counts()));
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
                status.relay(),
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
    private final class RelayPeer implements Peer {
        private final String id;

        /** Kept frames of each shard's ranks. Confined to the control strand. */
        private final Map<Shard, Long> kept = new HashMap<>();

        private RelayPeer(String id) {
            this.id = id;
        }

        @Override
        public boolean forward(Parcel frame, boolean kept) {
            ByteBuf bytes = ((BufferParcel) frame).take();
            if (links == null) {
                bytes.release();
                return false;
            }
            relay.control().submit(() -> {
                flow(id).out(bytes);
                if (kept) {
                    handled(bytes);
                }
                links.send(id, bytes);
            });
            return true;
        }

        /** To be told when the link says that the frame was handled; until links do, as soon as it is handed to one. */
        private void handled(ByteBuf frame) {
            FrameView view = new FrameView().wrap(frame.nioBuffer(), 0);
            Shard shard = relay.shards().of(view.job(), view.source());
            long count = kept.merge(shard, 1L, Long::sum);
            shard.strand().post(() -> shard.core().handled(this, count));
        }

        @Override
        public void offerAgain(long job, int context, int source, int destination, long sequence, long bytes) {
            relay.control()
                    .submit(() -> links.send(id, frames.offerAgain(job, context, source, destination, sequence, bytes)));
        }

        @Override
        public void clear(long job, int context, int source, int destination, long sequence, long upTo) {
            relay.control().submit(() -> links.send(id, frames.clear(job, context, source, destination, sequence, upTo)));
        }

        @Override
        public void withdraw(long job, int context, int source, int destination, long sequence) {
            relay.control().submit(() -> links.send(id, frames.withdraw(job, context, source, destination, sequence)));
        }

        @Override
        public void withdrawn(long job, int context, int source, int destination, long sequence, boolean gone) {
            relay.control()
                    .submit(() -> links.send(id, frames.withdrawn(job, context, source, destination, sequence, gone)));
        }

        @Override
        public void stall(FrameType type, Stall stall) {
            relay.control().submit(() -> {
                // A diagnosis that is repeated takes no memory of a link that is cut.
                if (links.writable(id)) {
                    links.send(id, Unpooled.wrappedBuffer(stall.encode(type)));
                }
            });
        }

        @Override
        public void credit(long job, int rank, long bytes, int messages) {
            relay.control().submit(() -> links.send(id, frames.credit(job, rank, bytes, messages)));
        }

        @Override
        public String toString() {
            return "relay " + id;
        }
    }
}
