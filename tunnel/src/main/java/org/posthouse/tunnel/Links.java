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
import org.posthouse.keys.KeysStatus;
import org.posthouse.keys.RelayKeys;
import org.posthouse.keys.RevocationList;
import org.posthouse.keys.SiteCertificate;
import org.posthouse.peer.PeerUsers;
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
 * All links of one relay (docs/links.md). Confined to the relay's context, an event loop: only {@link #start} and
 * {@link #close} may be called from elsewhere.
 *
 * <p>A frame that {@link #send} took is handed to the listener at the other end exactly once, however often connections are
 * cut, as long as neither relay restarts or lets go of the other. The frames of one channel but its CHUNKs come in order, and so do its chunks; a chunk never comes
 * before a frame of its channel that was sent before it and is none. Short frames may come before longer ones of other channels, and before chunks, that
 * were sent earlier. If the other one does, the frames that it had not handled are handed back. A peer that breaks the protocol loses its connection
 * and nobody else does.
 */
public final class Links {
    private static final Logger LOG = LoggerFactory.getLogger(Links.class);

    /** A clock may have been set back from any time to the beginning of its count: 100 years of milliseconds. Beyond that no earlier start can have been. */
    static final long SET_BACK_MAX = 100L * 366 * 24 * 3_600 * 1_000;

    /** Names that are looked up at one time: a name server that is silent holds each for half a minute, and nobody else's thread. */
    private static final int NAMES_AT_ONCE = 4;

    /** Whose threads look names up: all relays of a process share them. */
    static final String NAMES = "posthouse-names";

    /** What the relay wants to hear; of streams it hears nothing. All calls come on the relay's event loop. */
    public interface Listener {
        /**
         * One whole frame from {@code relay}, header checked.
         *
         * @param number names it for {@link Links#handled}; no other frame of that relay has had it
         * @param buffer holds the frame at [{@code index}, {@code index} + {@code length}); retain a slice to keep it
         * @param view looks at the frame; valid during this call
         * @return whether it was handled: what it says would survive the end of this process. If not, {@link Links#handled}
         *     is to be called once it was
         * @throws WireException to close the connection with that reason; the frame will come again on the next one
         */
        boolean onFrame(String relay, long number, ByteBuf buffer, int index, int length, FrameView view)
                throws WireException;

        /** All frames of what was read at once have been handed over; more may come before that. */
        default void onReadEnd() {}

        /** {@code relay} has handled {@code frames} more of those that it was sent, in the order of {@link Links#send}. */
        default void onAcknowledged(String relay, long frames) {}

        /** Frames flow again, or for the first time; {@code epoch} is that of the other end. */
        default void onUp(String relay, long epoch) {}

        /** This relay takes this epoch, before any link was up: a peer had seen a later start of it than the clock told of. */
        default void onEpoch(long epoch) {}

        /** The connection ended; what was sent waits for the next one. {@code why} says what ended it. */
        default void onDown(String relay, CloseNotice why) {}

        /** {@link Links#writable} was false, and at least half of the window is free now. */
        default void onWritable(String relay) {}

        /**
         * {@code relay} restarted, or has let go of its link to this one: what it did not write down is gone. Called before {@link #onUp}; frames sent from now on
         * reach the new one, and none that were sent before.
         *
         * @param frames those that {@link #onAcknowledged} has not told of, in the order of {@link Links#send}; the listener's to release or to send again. Of those of a job that
         *     was {@linkplain Links#forget forgotten} it may be the first bytes only
         */
        default void onForgotten(String relay, List<ByteBuf> frames) {
            frames.forEach(ByteBuf::release);
        }

        /** {@code relay} has stopped, was never here, or is silent, and by {@link Links#letGo} there is no link to it any more. If it comes back, {@link #onUp} tells of a relay that was never here. @param frames as of {@link #onForgotten} */
        default void onLetGo(String relay, List<ByteBuf> frames) {
            frames.forEach(ByteBuf::release);
        }
    }

    private final ContextInternal context;
    private final LinkConfig config;
    private final LinkFront listener;
    private final Streams streams;
    private final Forwards forwards;
    private final RelayKeys keys;
    private final LinkTls tls;
    private final PackingWorker packing = new PackingWorker(this::soon);
    private final Refusals refusals = new Refusals(System::nanoTime);
    private final LinkTable table = new LinkTable(relay -> new Link(this, relay));
    private final FairShare heldBack = new FairShare(LinkArrivals.HELD_BYTES_MAX);
    private NetClient client;
    private WorkerExecutor names;
    private final Routing routing;
    private final PathDoors paths;
    private LinkAcceptor acceptor;

    /** This relay's own. */
    private long epoch;

    /** A peer knows this relay by its epoch, which it keeps from then on. */
    private boolean known;

    private boolean closed;

    /** @param context the relay's own, an event-loop context */
    public Links(Context context, LinkConfig config, Listener listener) {
        if (!context.isEventLoopContext()) {
            throw new IllegalArgumentException("links need an event-loop context, got " + context.threadingModel());
        }
        this.context = (ContextInternal) context;
        this.config = config;
        this.epoch = config.epoch();
        this.streams = new Streams(this, config.forwards().streams());
        this.forwards = new Forwards(config.relay(), config.forwards(), streams, new ForwardSockets(this.context), PeerUsers.ofHost());
        this.routing = new Routing(this);
        this.paths = new PathDoors(this, this.context.nettyEventLoop(), forwards);
        streams.lead(paths);
        this.listener = new LinkFront(listener, streams);
        this.keys = new RelayKeys(this.context, config.relay(), config.keys(), this::onRevocations);
        this.tls = new LinkTls(keys, config.tls(), config.timeouts().handshakeMs());
    }

    /** Begins to listen, if configured, and to dial. Fails if the port cannot be opened. */
    public Future<Void> start() {
        Promise<Void> started = context.promise();
        context.runOnContext(go -> loadCodec().compose(loaded -> open()).onComplete(started));
        return started.future();
    }

    /** Tells the peers that this relay stops, and lets go of everything. What was not acknowledged is lost. */
    public Future<Void> close() {
        Promise<Void> done = context.promise();
        context.runOnContext(go -> shut().onComplete(done));
        return done.future();
    }

    /** The port that peers connect to; 0 if this relay only dials or has not started. */
    public int port() {
        return acceptor == null ? 0 : acceptor.port();
    }

    /** Keeps frames for {@code relay} from now on, though it has never linked and no address of it is known. */
    public void expect(String relay) {
        assert inLoop();
        table.expect(relay);
    }

    /**
     * Sends one whole frame of a type that links carry; takes over the buffer. It never blocks and never drops: look
     * at {@link #writable} to stay within the window.
     *
     * @return false, and the buffer released, if {@code relay} is no peer, was not expected and never linked
     * @throws IllegalArgumentException if the buffer is not one such frame; the buffer is released
     */
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
     * Lets go of what was never written of a job that has ended here, at all links: nobody waits for it. To the listener it counts as acknowledged.
     */
    public void forget(long job) {
        assert inLoop();
        if (!closed) {
            table.each(link -> link.emission().forget(job));
        }
    }

    /**
     * Lets go of the links to relays that have said that they stop, were never here, or have been silent for so long, but for the peers of the configuration and those that are needed.
     * If such a relay comes it begins a new link, also one that was only cut off.
     *
     * @param isNeeded whether frames for a relay are to be kept until it is there again
     * @param silentMs how long a link must have been down for its peer to be silent
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

    /** A frame for which {@link Listener#onFrame} returned false has been handled by now. In any order, each once. */
    public void handled(String relay, long number) {
        assert inLoop();
        Link link = table.get(relay);
        if (link != null && !closed) {
            link.reception().handled(number);
        }
    }

    /** False if {@code relay} is unknown, or more than the window is unacknowledged there of what was sent by {@link #send}. */
    public boolean writable(String relay) {
        assert inLoop();
        Link link = table.get(relay);
        return link != null && link.emission().writable();
    }

    /** Whether a CHUNK of several pieces may go there: over a link that takes no longer for it than a short message may wait. */
    public boolean carriesLong(String relay) {
        assert inLoop();
        Link link = table.get(relay);
        return link != null && link.isUp() && link.emission().carriesLong();
    }

    /** Whether frames flow to and from {@code relay} now. */
    public boolean isUp(String relay) {
        assert inLoop();
        Link link = table.get(relay);
        return link != null && link.isUp();
    }

    /** Visits what {@code relay} has not acknowledged, in the order of {@link #send}. The frames stay the link's: read them only. */
    public void forEachUnacknowledged(String relay, Consumer<ByteBuf> visitor) {
        assert inLoop();
        Link link = table.get(relay);
        if (link != null && !closed) {
            link.emission().forEachUnacknowledged(visitor);
        }
    }

    /** All links, by relay. */
    public List<LinkStatus> status() {
        assert inLoop();
        return table.all().map(Link::status).toList();
    }

    /** How many connections were refused since the start, by kind; kinds that never occurred are missing. */
    public Map<LinkRefusal, Long> refusals() {
        assert inLoop();
        return refusals.counts();
    }

    /** The keys that the links are made with, and what is to be done about them. */
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

    /** The streams over all links. */
    public StreamStatus streamStatus() {
        assert inLoop();
        return streams.status();
    }

    /** The doors of this relay, and its ports to doors of others. */
    public List<ForwardStatus> forwardStatus() {
        assert inLoop();
        return forwards.status();
    }

    /** Whether other relays' lanes are to keep away from this one. */
    public boolean drained() {
        assert inLoop();
        return routing.drained();
    }

    /** From now on other relays' lanes leave this one, those that have another way, or they may come again. */
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

    /** A link is up. */
    void onKnown() {
        known = true;
    }

    /**
     * A peer that has no link to a relay of this name has had one, with this epoch: this relay has started later, so it takes the next
     * one, as it would have had by a clock that was not set back.
     *
     * @return false if it is too late: another peer has linked with this relay as it is; or if no clock can have said so: who knew this relay by the last
     *     epoch that there is would take none of its later starts
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

    /** Whether {@code relay} has been linked with this one, so that it is what it says it is. */
    public boolean hasMet(String relay) {
        return table.hasMet(relay);
    }

    LinkTable table() {
        return table;
    }

    /** Bytes that wait at all links for their turn, or to be unpacked. */
    FairShare heldBack() {
        return heldBack;
    }

    Routing routing() {
        return routing;
    }

    PathDoors paths() {
        return paths;
    }

    LinkAcceptor acceptor() {
        return acceptor;
    }

    Listener listener() {
        return listener;
    }

    Streams streams() {
        return streams;
    }

    /** What the links do about packing: nothing, if this machine cannot. */
    Compression compression() {
        return unpacks() ? config.compression() : Compression.NEVER;
    }

    /** Whether what comes packed is taken. */
    boolean unpacks() {
        return config.compression() != Compression.NEVER && PackingCodec.isThere();
    }

    PackingWorker packing() {
        return packing;
    }

    /** Whether streams have room in the window of the link to {@code relay}. */
    boolean takesStreams(String relay) {
        Link link = table.get(relay);
        return link != null && link.emission().takesStreams();
    }

    LinkTls tls() {
        return tls;
    }

    RelayKeys keys() {
        return keys;
    }

    Refusals refusalCounter() {
        return refusals;
    }

    NetClient client() {
        return client;
    }

    /** All addresses of a host, at least one; of a number that one, with its zone, at once: it does not wait for names. */
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

    /** Runs {@code task} on the relay's context when what the loop does now is done. */
    void soon(Runnable task) {
        context.nettyEventLoop().execute(() -> context.dispatch(task));
    }

    /** Runs {@code task} on the relay's context in {@code ms}. */
    ScheduledFuture<?> after(long ms, Runnable task) {
        return context.nettyEventLoop().schedule(() -> context.dispatch(task), ms, TimeUnit.MILLISECONDS);
    }

    /** A peer passes on a list of revoked certificates. @throws WireException if it is none */
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

    /** The first frame of {@code connection}: finds or makes its link. @throws WireException to refuse it */
    void onHello(LinkConnection connection, LinkHello hello) throws WireException {
        requireIdentity(connection, hello);
        if (closed) {
            throw new WireException(CloseReason.RELAY_STOPPING, "relay " + config.relay() + " is stopping");
        }
        table.linkTo(hello.relay()).onHello(connection, hello);
    }

    /** The certificate proves the site, and the site vouches for its relays' names; nobody is this relay but itself. */
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

    /** It reads and writes files: so before it is asked for on the loop. */
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
        // Those over other relays say so over the links that are straight.
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
