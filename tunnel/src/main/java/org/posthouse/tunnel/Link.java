package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Instant;
import java.util.function.Consumer;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.LinkHello;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Reason;
import org.posthouse.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link to one other relay, of another site or of this one: a stream of frames each way that outlives its connections. Confined to the
 * relay's context. What is written first of the frames that wait, {@link LinkQueue} decides.
 *
 * <p>Every frame sent stays in the window until the peer acknowledges it, which it does when it has handled it, and every
 * LINK_HELLO says how many frames its sender has received: so a new connection goes on where the last one was cut, without
 * loss, repetition or reordering, and what a relay had not handled when it died is handed back to who sent it. Only frames
 * of {@link #current} count; a connection that was replaced is cut before its successor says how much was received.
 *
 * <p>If both ends dial, the connection that the smaller relay id dialled lives: the smaller one refuses the other's
 * while its own is open, the larger one gives its own up.
 */
final class Link {
    private static final Logger LOG = LoggerFactory.getLogger(Link.class);

    private final Links links;
    private final String relay;
    private final LinkWindow window;
    private final LinkReceipts receipts = new LinkReceipts();
    private final LinkTraffic traffic = new LinkTraffic();

    /** Null if this relay has no address to dial. */
    private LinkDialler dialler;

    /** The connection that the link uses, or the dialled one that waits for its LINK_HELLO; null if there is none. */
    private LinkConnection current;

    private LinkStatus.State state = LinkStatus.State.DOWN;
    private Instant since = Instant.now();
    private String lastReason = "";

    /** The other end's epoch, as last seen; 0 before the first contact. */
    private long peerEpoch;
    private ScheduledFuture<?> acknowledgeTimer;
    private boolean stopped;

    /** The listener was told, or could see, that the link is not writable, and waits for onWritable. */
    private boolean wasFull;

    /** Something of use happened on the current connection: the next dial need not wait long. */
    private boolean progressed;

    Link(Links links, String relay) {
        this.links = links;
        this.relay = relay;
        this.window = new LinkWindow(links.config().windowBytes());
    }

    /** The id of the relay at the other end. */
    String relay() {
        return relay;
    }

    void dialWith(LinkDialler dialler) {
        this.dialler = dialler;
        dialler.dial();
    }

    void send(ByteBuf frame) {
        window.append(frame);
        wasFull |= window.full();
        writeWaiting();
    }

    boolean writable() {
        return !window.full();
    }

    boolean isUp() {
        return state == LinkStatus.State.UP;
    }

    void forEachUnacknowledged(Consumer<ByteBuf> visitor) {
        window.forEachUnsettled(visitor);
    }

    /** Ends the link for good and lets go of all its frames. */
    void stop(Notice why) {
        stopped = true;
        if (dialler != null) {
            dialler.stop();
        }
        if (current != null) {
            current.close(why);
        }
        window.release();
    }

    /** The certificate that the peer has shown; null while the link is not up. */
    SiteCertificate peerCertificate() {
        return state == LinkStatus.State.UP ? current.certificate() : null;
    }

    /** Ends the connection if its peer's certificate is in {@code list}, else passes the list on. */
    void onRevocations(RevocationList list) {
        if (state != LinkStatus.State.UP) {
            return;
        }
        LinkConnection connection = current;
        if (list.holds(connection.certificate())) {
            String detail = Links.revoked(connection);
            links.refusalCounter().count(Refusal.REVOKED, connection.toString(), detail);
            connection.close(Notice.closing(0, Reason.REVOKED, detail));
        } else {
            connection.tell(list);
        }
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
                window.retransmitted(),
                window.bytes(),
                traffic.roundTripMicros,
                lastReason);
    }

    void onDialling() {
        transition(LinkStatus.State.CONNECTING, "");
    }

    void onDialFailed(Notice why) {
        transition(LinkStatus.State.DOWN, text(why));
    }

    /** The dialler made a connection to the right site: asks for the relay and says LINK_HELLO on it. */
    void onDialled(LinkConnection connection) {
        current = connection;
        connection.greet(hello(relay));
    }

    /**
     * The peer said LINK_HELLO on {@code connection}.
     *
     * @throws WireException to refuse it
     */
    void onHello(LinkConnection connection, LinkHello hello) throws WireException {
        requireEpoch(hello);
        boolean restarted = peerEpoch != 0 && hello.epoch() > peerEpoch;
        if (!connection.dialled()) {
            if (!restarted && prefersCurrent()) {
                refuseDuplicate(connection);
                return;
            }
            if (current != null) {
                current.cut(Notice.closing(0, Reason.NORMAL, "replaced by a newer connection, " + connection));
            }
        }
        if (restarted) {
            forget(hello);
        }
        window.resume(hello.peerEpoch() == links.config().epoch() ? hello.received() : 0);
        peerEpoch = hello.epoch();
        begin(connection);
    }

    /** One carried frame. @throws WireException from the listener, to close the connection */
    void onFrame(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        long number = receipts.receive(length);
        boolean handled;
        try {
            handled = links.listener().onFrame(relay, number, buffer, index, length, view);
        } catch (WireException e) {
            receipts.takeBack(length);
            throw e;
        }
        traffic.in(length);
        progressed = true;
        if (handled) {
            handled(number);
        }
    }

    /** The listener has handled the frame with this number, which came on this link or on one of the peer before it. */
    void handled(long number) {
        if (receipts.handle(number)) {
            acknowledge();
        } else if (acknowledgeTimer == null && receipts.pending()) {
            acknowledgeTimer = links.after(links.config().timeouts().ackMs(), this::acknowledge);
        }
    }

    /** The peer has handled the first {@code count} frames. @throws WireException if it cannot have them */
    void onAcknowledged(long count) throws WireException {
        long before = window.settled();
        window.acknowledge(count);
        progressed = true;
        long settled = window.settled() - before;
        if (settled > 0) {
            links.listener().onAcknowledged(relay, settled);
        }
        tellIfRoomy();
    }

    void onSocketWritable() {
        if (receipts.pending()) {
            acknowledge();
        }
        writeWaiting();
    }

    void onRoundTrip(long micros) {
        traffic.roundTripMicros = micros;
    }

    /** The connection has lived for a ping interval: a peer that refuses the first frame does not get that far. */
    void onAlive() {
        progressed = true;
    }

    /** {@code connection} is over; nothing of it comes any more. */
    void onEnded(LinkConnection connection, Notice why) {
        if (connection != current) {
            return;
        }
        current = null;
        cancelAcknowledgeTimer();
        boolean wasUp = state == LinkStatus.State.UP;
        transition(LinkStatus.State.DOWN, text(why));
        if (dialler != null && !stopped) {
            if (progressed) {
                dialler.succeeded();
            }
            dialler.dialLater();
        }
        progressed = false;
        if (wasUp) {
            links.listener().onDown(relay, why);
        }
    }

    private void requireEpoch(LinkHello hello) throws WireException {
        if (hello.epoch() < peerEpoch) {
            throw new WireException(
                    Reason.FENCED,
                    "a relay that calls itself " + relay + " has epoch " + hello.epoch() + ", expected at least " + peerEpoch
                            + ": another one has taken its place");
        }
        if (hello.peerEpoch() > links.config().epoch()) {
            throw new WireException(
                    Reason.FENCED,
                    "relay " + relay + " has seen epoch " + hello.peerEpoch() + " of relay " + links.config().relay()
                            + ", this one has " + links.config().epoch());
        }
    }

    private boolean prefersCurrent() {
        boolean smaller = links.config().relay().compareTo(relay) < 0;
        return smaller && current != null && current.dialled() && !current.isClosing();
    }

    /** Keeps the current connection, but not blindly: the peer would not dial if it still had it. */
    private void refuseDuplicate(LinkConnection connection) {
        if (current.isUp()) {
            current.suspect();
        }
        connection.close(Notice.closing(
                0, Reason.NORMAL, "relay " + links.config().relay() + " keeps the connection that it dialled itself"));
    }

    private void forget(LinkHello hello) {
        LOG.warn("link to relay {}: it was restarted, epoch {} is {} now; it has not acknowledged {} bytes of frames",
                relay, peerEpoch, hello.epoch(), window.bytes());
        receipts.forget();
        peerEpoch = hello.epoch();
        links.listener().onForgotten(relay, window.takeAll());
        tellIfRoomy();
    }

    private void begin(LinkConnection connection) {
        current = connection;
        if (dialler != null) {
            dialler.stop();
        }
        if (!connection.dialled()) {
            connection.greet(hello(""));
        }
        connection.begin(this);
        transition(LinkStatus.State.UP, connection.toString());
        if (receipts.received() > 0) {
            acknowledge(); // What was told on the last connection may have been lost with it.
        }
        links.listener().onUp(relay, peerEpoch);
        tellIfRoomy();
        writeWaiting();
    }

    private LinkHello hello(String expected) {
        LinkConfig config = links.config();
        return new LinkHello(
                config.site(), config.relay(), expected, config.epoch(), peerEpoch, receipts.received());
    }

    /** Writes what waits until the socket has enough; {@link #onSocketWritable} goes on. */
    private void writeWaiting() {
        while (state == LinkStatus.State.UP && current.writable()) {
            ByteBuf frame = window.next();
            if (frame == null) {
                return;
            }
            traffic.out(frame.readableBytes());
            current.write(frame);
        }
    }

    /** Acknowledges what came, unless the peer does not read: then the next chance to write does it. */
    private void acknowledge() {
        cancelAcknowledgeTimer();
        if (current != null && current.isUp() && current.writable()) {
            current.acknowledge(receipts.acknowledge());
        }
    }

    private void cancelAcknowledgeTimer() {
        if (acknowledgeTimer != null) {
            acknowledgeTimer.cancel(false);
            acknowledgeTimer = null;
        }
    }

    private void tellIfRoomy() {
        if (wasFull && window.roomy() && !stopped) {
            wasFull = false;
            links.listener().onWritable(relay);
        }
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

    private static String text(Notice why) {
        return why.reason() + (why.text().isEmpty() ? "" : ": " + why.text());
    }
}
