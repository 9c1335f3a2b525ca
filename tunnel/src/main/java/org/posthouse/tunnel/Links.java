package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.EventLoop;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetClientOptions;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.posthouse.keys.KeysException;
import org.posthouse.keys.RelayId;
import org.posthouse.keys.RelayKeys;
import org.posthouse.keys.RevocationList;
import org.posthouse.keys.SiteCertificate;
import org.posthouse.peer.PeerUsers;
import org.posthouse.status.KeysStatus;
import org.posthouse.status.LinkStatus;
import org.posthouse.status.StreamStatus;
import org.posthouse.tunnel.forward.Forwards;
import org.posthouse.tunnel.query.LinkQueries;
import org.posthouse.tunnel.socket.LinkRefusal;
import org.posthouse.tunnel.socket.LinkTls;
import org.posthouse.tunnel.socket.Refusals;
import org.posthouse.tunnel.stream.InternalDoors;
import org.posthouse.tunnel.stream.StreamLinks;
import org.posthouse.tunnel.stream.Streams;
import org.posthouse.tunnel.window.FairShare;
import org.posthouse.tunnel.window.LinkReceiver;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.LinkHello;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Owns all links of one relay to other relays (docs/links.md). Confined to the relay's context, an event loop; only
 * {@link #start} and {@link #close} may be called from other threads.
 *
 * <p>A link delivers each frame that {@link #send} accepted to the other end's listener exactly once. Lost connections
 * do not change this, as long as neither relay restarts or drops the link. If the other relay restarts or drops the
 * link, the frames that it had not handled are returned to the listener.
 *
 * <p>Order within one channel: CHUNK frames arrive in order, and so do all other frames. A chunk never overtakes an
 * earlier frame of its channel that is not a chunk. A short frame may overtake longer frames of other channels, and
 * chunks.
 *
 * <p>If a peer breaks the protocol, only its own connection is closed.
 */
public final class Links implements StreamLinks {
    private static final Logger LOG = LoggerFactory.getLogger(Links.class);

    /**
     * The largest error of a clock that was set back, milliseconds: 100 years. A clock that was reset to the beginning
     * of its count is within this limit. A peer cannot have seen an earlier start with an epoch beyond it.
     */
    static final long SET_BACK_MAX = 100L * 366 * 24 * 3_600 * 1_000;

    /**
     * Largest number of concurrent name lookups. A silent name server blocks each of these threads for half a minute,
     * and no other thread.
     */
    private static final int NAMES_AT_ONCE = 4;

    /** Name of the worker pool for name lookups. All relays of a process share it. */
    static final String NAMES = "posthouse-names";

    /**
     * Receives the relay's events of all links. Streams do not call it. All calls are made on the relay's event loop.
     */
    public interface Listener {
        /**
         * Receives one whole frame from {@code relay}; its header has been checked.
         *
         * @param number identifies the frame for {@link Links#handled}; unique among the frames of that relay
         * @param buffer holds the frame at [{@code index}, {@code index} + {@code length}); retain a slice to keep it
         * @param view decodes the frame; valid during this call
         * @return true if the frame is handled, which means that its effect survives the end of this process. If false,
         *         the listener must call {@link Links#handled} once the frame is handled
         * @throws WireException to close the connection with that reason; the frame is sent again on the next
         *         connection
         */
        boolean onFrame(String relay, long number, ByteBuf buffer, int index, int length, FrameView view)
                throws WireException;

        /** Called after all frames of one socket read were passed on. More frames may arrive before this call. */
        default void onReadEnd() {}

        /**
         * {@code relay} has handled {@code frames} more of the frames sent to it, in the order of {@link Links#send}.
         */
        default void onAcknowledged(String relay, long frames) {}

        /** The link is up, for the first time or again. {@code epoch} is the epoch of the other relay. */
        default void onUp(String relay, long epoch) {}

        /**
         * This relay adopts this epoch, before any link was up. A peer had seen a later start of this relay than the
         * clock suggested.
         */
        default void onEpoch(long epoch) {}

        /** The connection ended with reason {@code why}. Unacknowledged frames wait for the next connection. */
        default void onDown(String relay, CloseNotice why) {}

        /** {@link Links#writable} was false, and at least half of the window is free now. */
        default void onWritable(String relay) {}

        /**
         * {@code relay} restarted, or dropped its link to this relay. State that it had not logged is lost. Called
         * before {@link #onUp}. Frames sent from now on reach the new instance; earlier ones do not.
         *
         * @param frames the frames that {@link #onAcknowledged} has not reported, in the order of {@link Links#send}.
         *         The listener must release them or send them again. A frame of a job that was
         *         {@linkplain Links#forget forgotten} may be truncated to its first bytes
         */
        default void onForgotten(String relay, List<ByteBuf> frames) {
            frames.forEach(ByteBuf::release);
        }

        /**
         * {@link Links#letGo} has dropped the link to {@code relay}, which has stopped, never connected, or is silent.
         * If it returns, {@link #onUp} reports it as a new relay. @param frames as of {@link #onForgotten}
         */
        default void onLetGo(String relay, List<ByteBuf> frames) {
            frames.forEach(ByteBuf::release);
        }
    }

    private final ContextInternal context;
    private final LinkConfig config;
    private final LinkDispatcher listener;
    private final Streams streams;
    private final Forwards forwards;
    private final RelayKeys keys;
    private final LinkTls tls;
    private final PackingWorker packing = new PackingWorker(this::soon);
    private final Refusals refusals = new Refusals(System::nanoTime);
    private final LinkTable table = new LinkTable(relay -> new Link(this, relay));
    private final FairShare heldBack = new FairShare(LinkReceiver.HELD_BYTES_MAX);
    private NetClient client;
    private WorkerExecutor names;
    private final Routing routing;
    private final PathTargets paths;
    private final LinkQueries queries;
    private final InternalDoors doors;
    private LinkAcceptor acceptor;

    /** This relay's own epoch. */
    private long epoch;

    /** True once a link was up. From then on a peer knows this relay by its epoch, so the epoch must not change. */
    private boolean known;

    private boolean closed;

    /** @param context the relay's own context, an event-loop context */
    public Links(Context context, LinkConfig config, Listener listener) {
        if (!context.isEventLoopContext()) {
            throw new IllegalArgumentException("links need an event-loop context, got " + context.threadingModel());
        }
        this.context = (ContextInternal) context;
        this.config = config;
        this.epoch = config.epoch();
        this.streams = new Streams(config.relay(), this, config.forwards().streams());
        this.forwards = new Forwards(this.context, config.relay(), config.forwards(), streams, PeerUsers.ofHost());
        this.routing = new Routing(this);
        this.paths = new PathTargets(this, this.context.nettyEventLoop(), forwards);
        this.queries = new LinkQueries(streams, this, paths);
        this.doors = new InternalDoors(queries);
        streams.lead(doors);
        this.listener = new LinkDispatcher(listener, streams);
        this.keys = new RelayKeys(this.context, config.relay(), config.keys(), this::onRevocations);
        this.tls = new LinkTls(keys, config.tls(), config.timeouts().handshakeMs());
    }

    /**
     * Opens the listening port, if one is configured, and begins to dial the peers. Fails if the port cannot be opened.
     */
    public Future<Void> start() {
        Promise<Void> started = context.promise();
        context.runOnContext(go -> loadCodec().compose(loaded -> open()).onComplete(started));
        return started.future();
    }

    /** Tells the peers that this relay stops, then closes all links. Unacknowledged frames are lost. */
    public Future<Void> close() {
        Promise<Void> done = context.promise();
        context.runOnContext(go -> shut().onComplete(done));
        return done.future();
    }

    /** The port that peers connect to; 0 if this relay only dials or has not started. */
    public int port() {
        return acceptor == null ? 0 : acceptor.port();
    }

    /**
     * Creates a link that keeps frames for {@code relay}, even if it has never connected and its address is unknown.
     */
    public void expect(String relay) {
        assert inLoop();
        table.expect(relay);
    }

    /**
     * Sends one whole frame of a type that links carry, and takes ownership of the buffer. Never blocks and never
     * drops; callers check {@link #writable} to stay within the window.
     *
     * @return false, and the buffer released, if {@code relay} is not a configured peer, was not expected and never
     *         linked
     * @throws IllegalArgumentException if the buffer is not exactly one such frame; the buffer is released
     */
    @Override
    public boolean send(String relay, ByteBuf frame) {
        assert inLoop();
        Link link = closed ? null : table.get(relay);
        if (link == null) {
            frame.release();
            return false;
        }
        requireCarried(relay, frame);
        link.emission().send(frame);
        return true;
    }

    /**
     * Drops the unwritten frames of a job that has ended here, on all links. The listener sees them as acknowledged.
     */
    public void forget(long job) {
        assert inLoop();
        if (!closed) {
            table.each(link -> link.emission().forget(job));
        }
    }

    /**
     * Drops the links to relays that have announced their stop, were never here, or have been silent too long. Links to
     * configured peers and to needed relays stay. A relay that returns begins a new link, even if it was only
     * unreachable.
     *
     * @param isNeeded whether frames for a relay must be kept until it returns
     * @param silentMs how long a link must have been down before its peer counts as silent
     */
    public void letGo(Predicate<String> isNeeded, long silentMs) {
        assert inLoop();
        if (!closed) {
            long silentNanos = TimeUnit.MILLISECONDS.toNanos(silentMs);
            table.each(link -> {
                if (link.isLeft(silentNanos) && !config.peers().containsKey(link.relay()) && !isNeeded.test(link.relay())) {
                    letGo(link);
                }
            });
        }
    }

    private void letGo(Link link) {
        table.remove(link);
        forwards.forget(link.relay());
        listener.onLetGo(link.relay(),
                link.stopTaking(CloseNotice.closing(0, CloseReason.RELAY_STOPPING, "relay " + link.relay() + " has stopped, or is silent")));
    }

    /**
     * Reports that a frame for which {@link Listener#onFrame} returned false is handled. Call it once per frame, in any
     * order.
     */
    public void handled(String relay, long number) {
        assert inLoop();
        Link link = table.get(relay);
        if (link != null && !closed) {
            link.reception().handled(number);
        }
    }

    /** False if {@code relay} is unknown, or if the unacknowledged bytes of {@link #send} exceed the window. */
    public boolean writable(String relay) {
        assert inLoop();
        Link link = table.get(relay);
        return link != null && link.emission().writable();
    }

    /**
     * Whether a CHUNK of several pieces may be sent to {@code relay}. The link must transmit it within the time that a
     * short message may wait.
     */
    public boolean carriesLong(String relay) {
        assert inLoop();
        Link link = table.get(relay);
        return link != null && link.isUp() && link.emission().carriesLong();
    }

    /** Whether the link to {@code relay} is up. */
    public boolean isUp(String relay) {
        assert inLoop();
        Link link = table.get(relay);
        return link != null && link.isUp();
    }

    /**
     * Visits the frames that {@code relay} has not acknowledged, in the order of {@link #send}. The link owns the
     * frames; the visitor only reads them.
     */
    public void forEachUnacknowledged(String relay, Consumer<ByteBuf> visitor) {
        assert inLoop();
        Link link = table.get(relay);
        if (link != null && !closed) {
            link.emission().forEachUnacknowledged(visitor);
        }
    }

    /** Questions to other relays and their answers. Confined to the relay's event loop. */
    public LinkQueries queries() {
        assert inLoop();
        return queries;
    }

    /** The doors that other relays find here and that no user configures. */
    public InternalDoors doors() {
        assert inLoop();
        return doors;
    }

    /** The status of all links, by relay, without the part that only the relay knows. */
    public List<LinkStatus> status() {
        assert inLoop();
        return table.all().map(Link::status).toList();
    }

    /** Number of refused connections since the start, by kind. Kinds that never occurred are missing. */
    public Map<LinkRefusal, Long> refusals() {
        assert inLoop();
        return refusals.counts();
    }

    /** Status of the keys that secure the links, with the actions due on them. */
    public KeysStatus keysStatus() {
        assert inLoop();
        Map<String, SiteCertificate> peers = new TreeMap<>();
        table.each(link -> {
            if (link.peerCertificate() != null) {
                peers.put(link.relay(), link.peerCertificate());
            }
        });
        return keys.status(peers);
    }

    /** Status of the streams over all links, of this relay's doors, and of its ports to doors of other relays. */
    public StreamStatus streamStatus() {
        assert inLoop();
        return streams.status(routing.drained(), forwards.status());
    }

    /**
     * If true, other relays' lanes leave this relay from now on, except lanes without another path. If false, they may
     * return.
     */
    public void drain(boolean drain) {
        assert inLoop();
        LOG.info("relay {}: {}", config.relay(), drain ? "drained: leads on only lanes that have no other way" : "leads lanes on");
        routing.drain(drain);
    }

    LinkConfig config() {
        return config;
    }

    long epoch() {
        return epoch;
    }

    /** Called when a link is up. */
    void onKnown() {
        known = true;
    }

    /**
     * Raises this relay's epoch above {@code seen}, the epoch of an earlier start that a peer has recorded. The peer
     * has no link to this relay. The clock was set back since that start; a correct clock would have given a later
     * epoch.
     *
     * @return false if a peer has already linked with this relay under its current epoch. Also false if {@code seen}
     *         exceeds the configured epoch by more than {@link #SET_BACK_MAX}: no clock can have produced it, and a
     *         peer that recorded the last possible epoch would refuse all later starts
     */
    boolean tryOutlive(long seen) {
        if (known || seen - config.epoch() > SET_BACK_MAX) {
            return false;
        }
        LOG.warn("relay {}: takes epoch {} instead of {}, since a peer has seen {}: the clock was set back after an earlier start",
                config.relay(), seen + 1, epoch, seen);
        epoch = seen + 1;
        listener.onEpoch(epoch);
        return true;
    }

    /** Whether there is a link to this relay, in whatever state. */
    public boolean has(String relay) {
        return table.get(relay) != null;
    }

    /** Whether {@code relay} has been linked with this relay, so that its identity is proven. */
    public boolean hasMet(String relay) {
        return table.hasMet(relay);
    }

    LinkTable table() {
        return table;
    }

    /** The bytes that wait at all links for transmission or unpacking. */
    public FairShare heldBack() {
        return heldBack;
    }

    Routing routing() {
        return routing;
    }

    PathTargets paths() {
        return paths;
    }

    LinkAcceptor acceptor() {
        return acceptor;
    }

    Listener listener() {
        return listener;
    }

    public Streams streams() {
        return streams;
    }

    /** The links' compression mode; {@link Compression#NEVER} if this machine has no codec. */
    Compression compression() {
        return unpacks() ? config.compression() : Compression.NEVER;
    }

    /** Whether this relay accepts packed frames. */
    boolean unpacks() {
        return config.compression() != Compression.NEVER && PackingCodec.isThere();
    }

    PackingWorker packing() {
        return packing;
    }

    /** Whether streams have space in the window of the link to {@code relay}. */
    @Override
    public boolean takesStreams(String relay) {
        Link link = table.get(relay);
        return link != null && link.emission().takesStreams();
    }

    LinkTls tls() {
        return tls;
    }

    /** The keys of this relay. */
    public RelayKeys keys() {
        return keys;
    }

    Refusals refusalCounter() {
        return refusals;
    }

    NetClient client() {
        return client;
    }

    /**
     * Resolves a host to all its addresses, at least one. A numeric address, with its zone, is returned at once without
     * a name lookup.
     */
    Future<InetAddress[]> addresses(String host) {
        if (NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host)) {
            try {
                return context.succeededFuture(InetAddress.getAllByName(host));
            } catch (UnknownHostException e) {
                return context.failedFuture(e); // This host has no such zone.
            }
        }
        return names.executeBlocking(() -> InetAddress.getAllByName(host), false);
    }

    /** Runs {@code task} on the relay's context after the event loop's current task. */
    void soon(Runnable task) {
        context.nettyEventLoop().execute(() -> context.dispatch(task));
    }

    /** Runs {@code task} on the relay's context in {@code ms} milliseconds. */
    @Override
    public ScheduledFuture<?> after(long ms, Runnable task) {
        return context.nettyEventLoop().schedule(() -> context.dispatch(task), ms, TimeUnit.MILLISECONDS);
    }

    /**
     * Takes a revocation list that a peer passes on.
     *
     * @throws WireException if {@code encoded} is not a revocation list
     */
    void onRevocations(LinkConnection from, byte[] encoded) throws WireException {
        try {
            keys.take(encoded, "LINK_REVOKED from " + from);
        } catch (KeysException e) {
            throw new WireException(CloseReason.MALFORMED_FRAME, e.getMessage());
        }
    }

    private void onRevocations(RevocationList list) {
        table.each(link -> link.onRevocations(list));
    }

    static String revoked(LinkConnection connection) {
        return "its certificate, serial " + connection.certificate().serial() + " of site " + connection.site() + ", was revoked";
    }

    /**
     * Handles the LINK_HELLO of {@code connection}: finds or creates its link.
     *
     * @throws WireException to refuse the connection
     */
    void onHello(LinkConnection connection, LinkHello hello) throws WireException {
        requireIdentity(connection, hello);
        if (closed) {
            throw new WireException(CloseReason.RELAY_STOPPING, "relay " + config.relay() + " is stopping");
        }
        table.linkTo(hello.relay()).onHello(connection, hello);
    }

    /**
     * Checks the peer's identity. The certificate proves the site, and the site vouches for its relays' names. No peer
     * may use this relay's own id.
     */
    private void requireIdentity(LinkConnection connection, LinkHello hello) throws WireException {
        if (keys.isRevoked(connection.certificate())) {
            throw new WireException(CloseReason.REVOKED, revoked(connection));
        }
        boolean proven = hello.site().equals(connection.site()) && RelayId.isOf(hello.site(), hello.relay());
        if (!proven || hello.relay().equals(config.relay())) {
            throw new WireException(
                    CloseReason.WRONG_SITE,
                    "claims to be relay " + hello.relay() + " of site " + hello.site() + ", its certificate is for site \""
                            + connection.site() + "\", and this is relay " + config.relay());
        }
        String expected = connection.dialled() ? "" : config.relay();
        if (!hello.expected().equals(expected)) {
            throw new WireException(
                    CloseReason.WRONG_SITE, "expected relay " + hello.expected() + ", but this is relay " + config.relay());
        }
        if (connection.dialled() && !hello.relay().equals(connection.peer())) {
            throw new WireException(
                    CloseReason.WRONG_SITE, "is relay " + hello.relay() + ", expected relay " + connection.peer());
        }
    }

    /**
     * Loads the codec on a worker thread, because loading reads and writes files. This must happen before the event
     * loop first queries the codec.
     */
    private Future<Boolean> loadCodec() {
        return config.compression() == Compression.NEVER
                ? context.succeededFuture(false)
                : context.executeBlocking(PackingCodec::isThere);
    }

    private Future<Void> open() {
        LOG.atLevel(config.tls().fallsBack() ? Level.WARN : Level.INFO).log("relay {}: {}", config.relay(), config.tls().described());
        Vertx vertx = context.owner();
        names = vertx.createSharedWorkerExecutor(NAMES, NAMES_AT_ONCE);
        client = vertx.createNetClient(new NetClientOptions()
                .setConnectTimeout(config.timeouts().connectMs())
                .setTcpNoDelay(true)
                .setTcpKeepAlive(true));
        config.peers().keySet().forEach(this::expect);
        acceptor = new LinkAcceptor(this, vertx);
        return acceptor.listen().compose(ready -> forwards.start()).onSuccess(ready -> {
            keys.start();
            dialPeers();
        });
    }

    private void dialPeers() {
        config.peers().keySet().forEach(relay -> table.get(relay).dial());
    }

    private Future<Void> shut() {
        if (closed) {
            return context.succeededFuture();
        }
        CloseNotice why = CloseNotice.closing(0, CloseReason.RELAY_STOPPING, "relay " + config.relay() + " is stopping");
        Future<Void> watched = keys.stop();
        routing.stop();
        // Links over other relays send their CLOSE over the direct links, so the direct links stop last.
        List<Link> straight = table.all().filter(Link::isStraight).toList();
        table.all().filter(link -> !straight.contains(link)).forEach(link -> link.stop(why));
        closed = true;
        streams.close();
        forwards.close();
        straight.forEach(link -> link.stop(why));
        List<Future<Void>> closing = new ArrayList<>();
        Promise<Void> packed = context.promise();
        packing.close(packed::complete);
        closing.add(packed.future());
        closing.add(watched);
        if (client != null) {
            closing.add(client.close());
            closing.add(names.close());
        }
        if (acceptor != null) {
            closing.add(acceptor.close());
        }
        return Future.join(closing).mapEmpty();
    }

    private void requireCarried(String relay, ByteBuf frame) {
        int bytes = frame.readableBytes();
        boolean carried = bytes >= Wire.HEADER_BYTES
                && frame.getInt(frame.readerIndex()) == bytes
                && isCarried(FrameType.of(frame.getByte(frame.readerIndex() + Integer.BYTES)));
        if (!carried) {
            frame.release();
            throw new IllegalArgumentException("for relay " + relay + ": a buffer of " + bytes
                    + " bytes, expected exactly one frame of a type that links carry: " + LinkConnection.CARRIED);
        }
    }

    private static boolean isCarried(FrameType type) {
        return type != null && LinkConnection.CARRIED.contains(type);
    }

    private boolean inLoop() {
        EventLoop loop = context.nettyEventLoop();
        return loop.inEventLoop();
    }
}
