package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.posthouse.keys.RelayId;
import org.posthouse.keys.RevocationList;
import org.posthouse.keys.SiteCertificate;
import org.posthouse.status.LinkStatus;
import org.posthouse.status.Traffic;
import org.posthouse.tunnel.socket.LinkRefusal;
import org.posthouse.tunnel.window.LinkTraffic;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.LinkHello;
import org.posthouse.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link to one other relay, of another site or of this one. It carries frames each way ({@link LinkSender},
 * {@link InboundFrames}) and outlives its connections. Confined to the relay's context.
 *
 * <p>A sent frame stays in the window until the peer has handled and acknowledged it. Each LINK_HELLO of a first lane
 * reports what its sender has received. A new session therefore continues where the last one was cut, without loss,
 * duplicates or reordering. Frames that a relay had not handled when it died are returned to the sending relay's
 * listener.
 *
 * <p>Only frames of the session that began with {@link #current} count. A replaced session is cut, with all its lanes,
 * before its successor reports how much was received.
 *
 * <p>If both ends dial, the connection dialled by the relay with the smaller id survives. The smaller relay refuses the
 * other's connection while its own is open; the larger relay gives its own up.
 */
final class Link {
    private static final Logger LOG = LoggerFactory.getLogger(Link.class);

    private final Links links;
    private final String relay;
    private final LinkTraffic traffic = new LinkTraffic();
    private final LinkLanes lanes;
    private final LinkSender emission;
    private final InboundFrames reception;
    private final LinkEstablishment dialling;
    private final PeerEpoch peerEpoch;
    private final RttEstimator rttEstimator = new RttEstimator();

    /** The first lane of the session, or a dialled connection that waits for its LINK_HELLO; null if there is none. */
    private LinkConnection current;

    /** True while one first lane replaces another, so that the link stays up. */
    private boolean changing;

    /**
     * The previous first lane, kept open until the peer knows its successor; null if there is none. If it closed
     * earlier, the peer would take that for the end of the link.
     */
    private LinkConnection leaving;

    private LinkStatus.State state = LinkStatus.State.DOWN;
    private Instant since = Instant.now();
    private String lastReason = "";

    /** Number of sessions that this end has begun. */
    private long sessions;

    /** {@link System#nanoTime} when the link went down; valid only if the link has been up and is down. */
    private long downAtNanos;

    private boolean stopped;

    /** True after the peer has announced its stop, until it returns. */
    private boolean left;

    /**
     * The site whose share of the relay's links includes this one. It is the peer's site, or the announcing site while
     * a link known by hearsay is not up yet.
     */
    private String site;

    /** True if a neighbour's announcement created the link and no frame was expected for it yet. */
    private boolean hearsay;

    /**
     * True if the peer still holds state of a link that was dropped here, and has not confirmed this end's LINK_HELLO.
     * No frames are written until it does. If the connection were cut earlier, the peer would count frames of the old
     * link as frames of the new one.
     */
    private boolean unheard;

    /** True if the current connection made progress, so that the next dial need not wait long. */
    private boolean progressed;

    private final MtuBlackHoleDetector blackHole;

    Link(Links links, String relay) {
        this.links = links;
        this.relay = relay;
        this.site = RelayId.parse(relay).site();
        this.lanes = new LinkLanes(links, this);
        this.emission = new LinkSender(links, this, lanes, traffic);
        this.reception = new InboundFrames(links, this);
        this.dialling = new LinkEstablishment(links, this);
        this.blackHole = new MtuBlackHoleDetector(links.config().timeouts().silenceMs());
        this.peerEpoch = new PeerEpoch(links, this);
    }

    /** The id of the relay at the other end. */
    String relay() {
        return relay;
    }

    /** Records that a relay of site {@code teller} has announced a path to this link's peer. */
    void hear(String teller) {
        site = teller;
        hearsay = true;
    }

    /** Records that this relay will send frames to the peer. */
    void expect() {
        hearsay = false;
    }

    /** Whether the link is known by hearsay only, has never been up and holds no frames. */
    boolean isHearsay() {
        return hearsay && !hasBeenUp() && emission.bytes() == 0;
    }

    /**
     * Whether the peer has announced its stop, was never here, or has been silent for {@code silentNanos}. True only if
     * all received frames are handled.
     */
    boolean isLeft(long silentNanos) {
        boolean silent = hasBeenUp() && !isUp() && System.nanoTime() - downAtNanos >= silentNanos;
        return (left || silent || !hearsay && !hasBeenUp()) && current == null && reception.isSettled();
    }

    /** The epoch of the peer's last known start. */
    long peerEpoch() {
        return peerEpoch.last();
    }

    boolean hasBeenUp() {
        return peerEpoch.isSeen();
    }

    /** Whether the link counts against the share of site {@code other}. */
    boolean isOf(String other) {
        return site.equals(other);
    }

    /** Begins to dial, if an address is known. */
    void dial() {
        dialling.start();
    }

    /** The first lane of the session, or a candidate for it; null if there is none. */
    LinkConnection first() {
        return current;
    }

    /** Whether the link is up on a first lane that passes through no other relay. */
    boolean isStraight() {
        return flows() && current.path().isDirect();
    }

    /** The link as a hop of a route; null if it is not direct, or its round trip was not measured yet. */
    LinkRoutes.Neighbour neighbour() {
        int micros = isStraight() ? rttEstimator.least() : RttEstimator.NONE;
        return micros == RttEstimator.NONE ? null : new LinkRoutes.Neighbour(relay, micros, emission.bytes());
    }

    /** Called when the routes over other relays have changed. */
    void onRoutes() {
        if (!stopped) {
            dialling.onRoutes();
            lanes.onRoutes();
        }
    }

    /** Whether the link is up on a first lane. */
    boolean flows() {
        return state == LinkStatus.State.UP && current != null && current.isUp();
    }

    /** Whether frames may be written now. */
    boolean takesFrames() {
        return flows() && !unheard;
    }

    /** Called when the peer is known to have this end's LINK_HELLO. */
    void onHeard() {
        if (unheard) {
            unheard = false;
            emission.writeWaiting();
        }
    }

    boolean isStopped() {
        return stopped;
    }

    /** The sending side of the link. */
    LinkSender emission() {
        return emission;
    }

    /** The receiving side of the link. */
    InboundFrames reception() {
        return reception;
    }

    boolean isUp() {
        return state == LinkStatus.State.UP;
    }

    /**
     * Ends a link whose peer {@link #isLeft}.
     *
     * @return the relay's own frames that are not acknowledged
     */
    List<ByteBuf> stopTaking(CloseNotice why) {
        List<ByteBuf> frames = emission.takeAll();
        stop(why);
        return frames;
    }

    /** Ends the link for good and releases all its frames. */
    void stop(CloseNotice why) {
        stopped = true;
        dialling.stop();
        letGo(why);
        if (current != null) {
            current.close(why);
        }
        emission.release();
    }

    /** The certificate that the peer has shown; null while the link is not up. */
    SiteCertificate peerCertificate() {
        return flows() ? current.certificate() : null;
    }

    /**
     * Closes the session if its peer's certificate is in {@code list}. Otherwise passes the list on, and closes further
     * lanes with revoked certificates.
     */
    void onRevocations(RevocationList list) {
        if (flows() && !endIfRevoked(current, list)) {
            current.tell(list);
            lanes.onRevocations(list);
        }
    }

    /**
     * Closes a lane whose peer showed a certificate that is in {@code list}.
     *
     * @return whether the lane was closed
     */
    boolean endIfRevoked(LinkConnection lane, RevocationList list) {
        if (!list.holds(lane.certificate())) {
            return false;
        }
        String detail = Links.revoked(lane);
        links.refusalCounter().count(LinkRefusal.REVOKED, lane.toString(), detail);
        lane.close(CloseNotice.closing(0, CloseReason.REVOKED, detail));
        return true;
    }

    /** The status of the link, without the part that only the relay knows. */
    LinkStatus status() {
        return new LinkStatus(
                RelayId.parse(relay).site(),
                relay,
                state,
                since.toEpochMilli(),
                Traffic.NONE,
                traffic.framesIn,
                traffic.framesOut,
                traffic.bytesIn,
                traffic.bytesOut,
                traffic.roundTripMicros,
                emission.bytes(),
                emission.retransmitted(),
                lanes.up(),
                emission.lanes(),
                emission.packing(),
                lanes.paths().stream().map(LinkPath::via).toList(),
                traffic.moves,
                links.streams().statusOf(relay),
                Optional.empty(),
                blackHole.text(),
                lastReason);
    }

    void onDialling() {
        if (!isUp()) {
            transition(LinkStatus.State.CONNECTING, "");
        }
    }

    /** Called for each attempt to dial the peer directly; {@code timedOut}: TCP connected, and TLS did not in time. */
    void onHandshakeEnded(boolean timedOut) {
        blackHole.onHandshakeEnded(timedOut);
    }

    void onDialFailed(CloseNotice why) {
        if (!isUp()) {
            transition(LinkStatus.State.DOWN, why.words());
        }
    }

    /**
     * Sends LINK_HELLO with the expected relay id. Frames that the old first lane no longer carries will go over the
     * new one.
     */
    void onDialled(LinkConnection connection) {
        if (current != null) {
            letGo(replacedBy(connection));
            leaving = current;
            change(() -> leaving.leave(replacedBy(connection)));
        }
        current = connection;
        connection.greet(hello(relay, 0, ++sessions));
    }

    /**
     * Handles the peer's LINK_HELLO on {@code connection}.
     *
     * @throws WireException to refuse it
     */
    void onHello(LinkConnection connection, LinkHello hello) throws WireException {
        try {
            greeted(connection, hello);
        } catch (WireException e) {
            if (!connection.dialled() && state == LinkStatus.State.DOWN) {
                lastReason = e.reason() + ": " + e.getMessage();
            }
            throw e;
        }
    }

    private void greeted(LinkConnection connection, LinkHello hello) throws WireException {
        peerEpoch.check(connection, hello, flows() && !current.isClosing() ? current : null);
        if (connection.lane() > 0 || hello.lane() > 0) {
            lanes.onHello(connection, hello);
            return;
        }
        boolean restarted = peerEpoch.isRestart(hello) || hello.anew() && (emission.hasArrived() || reception.hasReceived());
        LinkConnection replaced = null;
        if (!connection.dialled()) {
            if (!restarted && prefersCurrent(connection)) {
                refuseDuplicate(connection);
                return;
            }
            if (current != null && !restarted) {
                LinkConnection old = current;
                replaced = old;
                change(() -> old.cut(replacedBy(connection)));
            } else if (current != null) {
                current.cut(replacedBy(connection));
            }
        }
        if (restarted) {
            if (isUp()) {
                down(CloseNotice.closing(0, CloseReason.NORMAL, "relay " + relay + " was restarted"));
            }
            forget(hello);
        }
        boolean knows = hello.peerEpoch() == links.epoch();
        // A peer that answers has received this end's LINK_HELLO.
        unheard = !connection.dialled() && knows && !hello.anew() && (unheard || !hasBeenUp());
        // The peer may report frames of a link that was dropped here; those do not count.
        boolean known = hasBeenUp() && !unheard && knows;
        try {
            emission.resume(known ? hello.heads() : 0, known ? hello.bulk() : 0, hello.unpacks());
        } catch (WireException e) {
            if (replaced != null) {
                down(CloseNotice.closing(0, e.reason(), e.getMessage()));
                dialling.onEnded(replaced, false);
            }
            throw e;
        }
        peerEpoch.see(hello.epoch());
        begin(connection, connection.dialled() ? sessions : hello.session());
    }

    /** Whether {@code hello} was sent between the current starts of both relays. */
    boolean isPresent(LinkHello hello) {
        return hello.epoch() == peerEpoch.last() && hello.peerEpoch() == links.epoch();
    }

    /** Called for each new frame; duplicates are excluded. */
    void onCame(int bytes) {
        traffic.in(bytes);
        progressed = true;
    }

    /**
     * Ends the session because the listener refused a frame of any lane. The frame is sent again in the next session.
     */
    void refuse(WireException why) {
        if (current != null) {
            current.close(CloseNotice.closing(0, why.reason(), why.getMessage()));
        }
    }

    /** The first lane, if it is up and can be written to now; else null. */
    LinkConnection writableFirst() {
        return flows() && current.writable() ? current : null;
    }

    /** Received bytes of incomplete bulk frames, on lanes that do not report them themselves. */
    long incompleteBytes() {
        return lanes.incompleteBytes();
    }

    /** Time that a frame of bulk takes to leave on this path, in microseconds; 0 if unknown. */
    int frameMicros(LinkPath path) {
        return lanes.frameMicros(path);
    }

    void onLanesWanted(long count) {
        lanes.onWantedByPeer(count);
    }

    void onSocketWritable() {
        reception.onSocketWritable();
        emission.writeWaiting();
    }

    void onRoundTrip(LinkConnection connection, long micros) {
        if (connection == current) {
            traffic.roundTripMicros = micros;
            rttEstimator.add(micros);
            dialling.onRoundTrip();
            if (isStraight()) {
                links.routing().onNeighbours();
            }
        }
    }

    /**
     * Called when the peer has acknowledged frames, or the connection has lived for a ping interval. A peer that
     * refuses the first frame gets neither.
     */
    void onProgress() {
        progressed = true;
        blackHole.onCame(current == null ? 0 : current.bytesIn());
    }

    /** The peer has acknowledged frames of {@code bytes} bytes in total. */
    void onAcknowledged(long bytes) {
        blackHole.onAcknowledged(bytes);
        onProgress();
    }

    /** Called once when {@code connection} has ended; it delivers nothing afterwards. */
    void onEnded(LinkConnection connection, CloseNotice why) {
        lanes.count(connection);
        if (connection != current) {
            if (!dialling.tryAnswer(connection, why)) {
                lanes.onEnded(connection);
            }
            return;
        }
        boolean wasOfUse = progressed;
        progressed = false;
        current = null;
        if (isUp()) {
            blackHole.onEnded(why.reason(), Duration.between(since, Instant.now()).toMillis(), connection.bytesIn(), emission.bytes());
        }
        lanes.end(why);
        reception.endSession();
        if (changing) {
            return;
        }
        left |= isUp() && connection.isClosedByPeer() && why.reason() == CloseReason.RELAY_STOPPING;
        down(why);
        if (!stopped) {
            dialling.onEnded(connection, wasOfUse);
        }
    }

    private void down(CloseNotice why) {
        letGo(why);
        boolean wasUp = state == LinkStatus.State.UP;
        transition(LinkStatus.State.DOWN, why.words());
        if (wasUp) {
            downAtNanos = System.nanoTime();
            links.routing().forget(relay);
            links.listener().onDown(relay, why);
            links.routing().onNeighbours();
        }
    }

    /** Ends the session while its successor begins, so that the link stays up. */
    private void change(Runnable end) {
        changing = true;
        end.run();
        changing = false;
    }

    private void letGo(CloseNotice why) {
        if (leaving != null) {
            leaving.cut(why);
            leaving = null;
        }
    }

    private static CloseNotice replacedBy(LinkConnection next) {
        return CloseNotice.closing(0, CloseReason.NORMAL, "replaced by a newer connection, " + next);
    }

    /** A direct connection beats one over other relays. Of two of a kind, the one dialled by the smaller relay wins. */
    private boolean prefersCurrent(LinkConnection connection) {
        if (current == null || current.isClosing()) {
            return false;
        }
        boolean straight = current.path().isDirect();
        if (straight != connection.path().isDirect()) {
            return straight;
        }
        boolean smaller = links.config().relay().compareTo(relay) < 0;
        return smaller && current.dialled();
    }

    /** Keeps the current connection but probes it: the peer would not have dialled if it still had that connection. */
    private void refuseDuplicate(LinkConnection connection) {
        if (current.isUp()) {
            current.suspect();
        }
        connection.close(CloseNotice.closing(
                0, CloseReason.NORMAL, "relay " + links.config().relay() + " keeps the connection that it dialled itself"));
    }

    private void forget(LinkHello hello) {
        LOG.warn("link to relay {}: it was restarted, or has let go of the link, epoch {} is {} now; it has not acknowledged {} bytes of frames",
                relay, peerEpoch.last(), hello.epoch(), emission.bytes());
        reception.forget();
        peerEpoch.see(hello.epoch());
        emission.handBack();
    }

    private void begin(LinkConnection connection, long session) {
        boolean wasUp = state == LinkStatus.State.UP;
        letGo(replacedBy(connection));
        current = connection;
        rttEstimator.clear();
        if (!connection.dialled()) {
            connection.greet(hello("", 0, session));
        }
        connection.begin(this, 0);
        links.onKnown();
        left = false;
        site = RelayId.parse(relay).site();
        transition(LinkStatus.State.UP, connection.toString());
        if (wasUp) {
            traffic.moves++;
            LOG.info("link to relay {}: goes on over {}", relay, connection);
        }
        dialling.onUp(connection);
        reception.beginSession();
        lanes.begin(connection, session);
        if (!wasUp) {
            links.listener().onUp(relay, peerEpoch.last());
            links.routing().onLinked();
        }
        emission.beginSession();
    }

    LinkHello hello(String expected, int lane, long session) {
        LinkConfig config = links.config();
        return new LinkHello(
                config.site(),
                config.relay(),
                expected,
                links.epoch(),
                peerEpoch.last(),
                lane,
                session,
                reception.headsReceived(),
                reception.bulkReceived(),
                links.unpacks(),
                !emission.hasWritten() && !reception.hasReceived());
    }

    private void transition(LinkStatus.State next, String reason) {
        if (next == LinkStatus.State.DOWN) {
            lastReason = reason;
        }
        if (next != state) {
            LOG.info("link to relay {}: {} to {} {}", relay, state, next, reason);
            state = next;
            since = Instant.now();
        }
    }
}
