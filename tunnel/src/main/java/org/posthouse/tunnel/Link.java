package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.posthouse.keys.RevocationList;
import org.posthouse.keys.SiteCertificate;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.LinkHello;
import org.posthouse.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link to one other relay, of another site or of this one: frames each way ({@link LinkEmission}, {@link LinkReception}) that outlive its connections. Confined to the
 * relay's context.
 *
 * <p>Every frame sent stays in the window until the peer acknowledges it, which it does when it has handled it, and every
 * LINK_HELLO of a first lane says what its sender has received: so a new session goes on where the last one was cut, without
 * loss, repetition or reordering, and what a relay had not handled when it died is handed back to who sent it. Only frames
 * of the session that began with {@link #current} count; one that was replaced is cut, with all its lanes, before its successor says how much was received.
 *
 * <p>If both ends dial, the connection that the smaller relay id dialled lives: the smaller one refuses the other's
 * while its own is open, the larger one gives its own up.
 */
final class Link {
    private static final Logger LOG = LoggerFactory.getLogger(Link.class);

    private final Links links;
    private final String relay;
    private final LinkTraffic traffic = new LinkTraffic();
    private final LinkLanes lanes;
    private final LinkEmission emission;
    private final LinkReception reception;
    private final LinkDialling dialling;
    private final PeerEpoch peerEpoch;
    private final RoundTrips roundTrips = new RoundTrips();

    /** The first lane of the session, or a dialled one that waits for its LINK_HELLO; null if there is none. */
    private LinkConnection current;

    /** One first lane takes over from another: the link stays up. */
    private boolean changing;

    /** The lane before, until the peer knows of its successor: it would take the end of it for that of the link. Null if there is none. */
    private LinkConnection leaving;

    private LinkStatus.State state = LinkStatus.State.DOWN;
    private Instant since = Instant.now();
    private String lastReason = "";

    /** Sessions that this end has begun. */
    private long sessions;

    /** When frames flowed last; of use once the link has been up and is not. */
    private long downAtNanos;

    private boolean stopped;

    /** The peer has said that it stops, and has not been back. */
    private boolean left;

    /** The site whose share of the relay's links this one is of: the peer's, or, of a link that was made upon somebody's word, that one's until it is up. */
    private String site;

    /** Made upon a neighbour's word, and nobody wants it. */
    private boolean hearsay;

    /**
     * The peer has a part of a link that was let go of here, and has not shown that it has heard so (LINK_HELLO). Until then nothing is written: if it was cut off before it
     * heard, what it has received of that one would count for this one.
     */
    private boolean unheard;

    /** Something of use happened on the current connection: the next dial need not wait long. */
    private boolean progressed;

    private final BlackHoleSuspicion blackHole;

    Link(Links links, String relay) {
        this.links = links;
        this.relay = relay;
        this.site = RelayId.parse(relay).site();
        this.lanes = new LinkLanes(links, this);
        this.emission = new LinkEmission(links, this, lanes, traffic);
        this.reception = new LinkReception(links, this);
        this.dialling = new LinkDialling(links, this);
        this.blackHole = new BlackHoleSuspicion(links.config().timeouts().silenceMs());
        this.peerEpoch = new PeerEpoch(links, this);
    }

    /** The id of the relay at the other end. */
    String relay() {
        return relay;
    }

    /** A relay of {@code teller} says that there is a way to this one's peer. */
    void hear(String teller) {
        site = teller;
        hearsay = true;
    }

    /** The relay will send frames. */
    void expect() {
        hearsay = false;
    }

    /** Whether nobody would miss it. */
    boolean isHearsay() {
        return hearsay && !hasBeenUp() && emission.bytes() == 0;
    }

    /** Whether the peer has stopped, by its own word, has never been here, or has been silent for so long. All that came was handled. */
    boolean isLeft(long silentNanos) {
        boolean silent = hasBeenUp() && !isUp() && System.nanoTime() - downAtNanos >= silentNanos;
        return (left || silent || !hearsay && !hasBeenUp()) && current == null && reception.isSettled();
    }

    /** Of the last start of the peer that is known. */
    long peerEpoch() {
        return peerEpoch.last();
    }

    boolean hasBeenUp() {
        return peerEpoch.isSeen();
    }

    /** Whether it counts for {@code other}. */
    boolean isOf(String other) {
        return site.equals(other);
    }

    /** Begins to dial, if there is an address. */
    void dial() {
        dialling.start();
    }

    /** The first lane of the session, or what may become it; null if there is none. */
    LinkConnection first() {
        return current;
    }

    /** Whether frames flow on a first lane that goes over no other relay. */
    boolean isStraight() {
        return flows() && current.path().isDirect();
    }

    /** The link as a hop of a way; null if it is none, or was not measured yet. */
    LinkRoutes.Neighbour neighbour() {
        int micros = isStraight() ? roundTrips.least() : RoundTrips.NONE;
        return micros == RoundTrips.NONE ? null : new LinkRoutes.Neighbour(relay, micros, emission.bytes());
    }

    /** Ways over other relays have changed. */
    void onRoutes() {
        if (!stopped) {
            dialling.onRoutes();
            lanes.onRoutes();
        }
    }

    /** Whether frames flow on a first lane. */
    boolean flows() {
        return state == LinkStatus.State.UP && current != null && current.isUp();
    }

    /** Whether frames may be written now. */
    boolean takesFrames() {
        return flows() && !unheard;
    }

    /** The peer has this end's LINK_HELLO. */
    void onHeard() {
        if (unheard) {
            unheard = false;
            emission.writeWaiting();
        }
    }

    boolean isStopped() {
        return stopped;
    }

    /** What goes over the link. */
    LinkEmission emission() {
        return emission;
    }

    /** What comes over the link. */
    LinkReception reception() {
        return reception;
    }

    boolean isUp() {
        return state == LinkStatus.State.UP;
    }

    /** Ends a link whose peer {@link #isLeft}. @return the relay's own frames that are not settled */
    List<ByteBuf> stopTaking(CloseNotice why) {
        List<ByteBuf> frames = emission.takeAll();
        stop(why);
        return frames;
    }

    /** Ends the link for good and lets go of all its frames. */
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

    /** Ends the connection, or one of its further lanes, if its peer's certificate is in {@code list}; else passes the list on. */
    void onRevocations(RevocationList list) {
        if (flows() && !endIfRevoked(current, list)) {
            current.tell(list);
            lanes.onRevocations(list);
        }
    }

    /** Ends a lane whose peer showed a certificate that is in {@code list}. @return whether it did */
    boolean endIfRevoked(LinkConnection lane, RevocationList list) {
        if (!list.holds(lane.certificate())) {
            return false;
        }
        String detail = Links.revoked(lane);
        links.refusalCounter().count(LinkRefusal.REVOKED, lane.toString(), detail);
        lane.close(CloseNotice.closing(0, CloseReason.REVOKED, detail));
        return true;
    }

    LinkStatus status() {
        return new LinkStatus(
                RelayId.parse(relay).site(),
                relay,
                state,
                since,
                traffic.framesIn,
                traffic.bytesIn,
                traffic.framesOut,
                traffic.bytesOut,
                emission.retransmitted(),
                emission.bytes(),
                traffic.roundTripMicros,
                lanes.up(),
                emission.lanes(),
                emission.packing(),
                lanes.paths().stream().map(LinkPath::via).toList(),
                traffic.moves,
                links.streams().statusOf(relay),
                lastReason,
                blackHole.text());
    }

    void onDialling() {
        if (!isUp()) {
            transition(LinkStatus.State.CONNECTING, "");
        }
    }

    void onDialFailed(CloseNotice why) {
        if (!isUp()) {
            transition(LinkStatus.State.DOWN, text(why));
        }
    }

    /** Asks for the relay and says LINK_HELLO. What the old first lane did not carry any more, the new one will. */
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
     * The peer said LINK_HELLO on {@code connection}.
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
        // Who answers has heard what this end has.
        unheard = !connection.dialled() && knows && !hello.anew() && (unheard || !hasBeenUp());
        // Of a link that was let go of here the peer may know much.
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

    /** Whether this is said between the two relays as they are now. */
    boolean isPresent(LinkHello hello) {
        return hello.epoch() == peerEpoch.last() && hello.peerEpoch() == links.epoch();
    }

    /** A frame came that was not there before. */
    void onCame(int bytes) {
        traffic.in(bytes);
        progressed = true;
    }

    /** The listener does not take a frame, on whichever lane it came: the session ends, so that it comes again. */
    void refuse(WireException why) {
        if (current != null) {
            current.close(CloseNotice.closing(0, why.reason(), why.getMessage()));
        }
    }

    /** The first lane, if the peer can be told something on it now; else null. */
    LinkConnection writableFirst() {
        return flows() && current.writable() ? current : null;
    }

    /** What came of bulk whose rest has not, on any lane that does not say so itself. */
    long incompleteBytes() {
        return lanes.incompleteBytes();
    }

    /** How long a frame of bulk takes to leave on this way, in microseconds; 0 if that is not known. */
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
            roundTrips.add(micros);
            dialling.onRoundTrip();
            if (isStraight()) {
                links.routing().onNeighbours();
            }
        }
    }

    /** The peer has what was sent, or the connection has lived for a ping interval: a peer that refuses the first frame does not get that far. */
    void onProgress() {
        progressed = true;
        blackHole.onCame(current == null ? 0 : current.bytesIn());
    }

    /** The peer has acknowledged frames of so many bytes. */
    void onAcknowledged(long bytes) {
        blackHole.onAcknowledged(bytes);
        onProgress();
    }

    /** {@code connection} is over; nothing of it comes any more. */
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
        transition(LinkStatus.State.DOWN, text(why));
        if (wasUp) {
            downAtNanos = System.nanoTime();
            links.routing().forget(relay);
            links.listener().onDown(relay, why);
            links.routing().onNeighbours();
        }
    }

    /** Ends the session in favour of another, which begins at once. */
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

    /** A straight connection is better than a detour; of two of a kind the one that the smaller relay dialled is. */
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

    /** Keeps the current connection, but not blindly: the peer would not dial if it still had it. */
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
        roundTrips.clear();
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

    private static String text(CloseNotice why) {
        return why.reason() + (why.text().isEmpty() ? "" : ": " + why.text());
    }
}
