package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.Set;
import javax.net.ssl.SSLException;
import org.posthouse.causes.Causes;
import org.posthouse.keys.RevocationList;
import org.posthouse.keys.SiteCertificate;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.LinkHello;
import org.posthouse.wire.LinkReach;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * One authenticated connection that is, or wants to be, a lane of a link. Confined to the relay's context.
 *
 * <p>It waits for the peer's LINK_HELLO, then carries frames and watches that the peer is alive: a ping each
 * interval, and an end when nothing was heard for the silence time. It ends once, whatever the cause, and after that
 * nothing of it reaches the link any more, though the socket may take a while to close.
 */
final class LinkConnection implements FrameSocket.Listener {
    /** The frames that a link carries, counts and repeats; all others it may see belong to the connection. */
    static final Set<FrameType> CARRIED = EnumSet.noneOf(FrameType.class);

    private static final Set<FrameType> OWN = EnumSet.of(
            FrameType.LINK_HELLO,
            FrameType.LINK_ACK,
            FrameType.LINK_CAME,
            FrameType.LINK_RATE,
            FrameType.LINK_PING,
            FrameType.LINK_PONG,
            FrameType.LINK_REVOKED,
            FrameType.LINK_RUN,
            FrameType.LINK_LANES,
            FrameType.LINK_PACKED,
            FrameType.LINK_REACH,
            FrameType.CLOSE);

    /** No LINK_RUN came before the next frame. */
    private static final long NO_RUN = -1;

    static {
        for (FrameType type : FrameType.values()) {
            if (type.sentBy(FrameType.Role.LINK) && !OWN.contains(type)) {
                CARRIED.add(type);
            }
        }
    }

    private final Links links;
    private final SiteCertificate certificate;
    private final boolean dialled;
    private final LinkTimeouts timeouts;
    private FrameSocket socket;
    private LinkPath path = LinkPath.DIRECT;

    /** Null until the link is known: from the start if dialled, else from the peer's LINK_HELLO on. */
    private Link link;

    private int lane;

    /** This relay's, as its LINK_HELLO said; 0 before that. */
    private long epochSaid;

    private long runNumber = NO_RUN;
    private long runAfter;

    /** What came, of a lane that says so itself: a further one that goes over other relays, and so has a way of its own. Null of others. */
    private LaneArrivals arrivals;

    /** What the peer has said that such a lane carries from there, in bytes a second; 0 if that is not known. */
    private long peerRate;

    private boolean up;
    private boolean ended;
    private boolean closedByPeer;
    private ScheduledFuture<?> timer;
    private long bytesHeard;
    private int silentMs;

    /** {@link System#nanoTime} of the ping that waits for its answer; 0 if none does. */
    private long pingedAtNanos;

    /** One that was accepted. @param certificate the peer's */
    LinkConnection(Links links, SiteCertificate certificate) {
        this(links, certificate, false, null, 0);
    }

    /** One that was dialled, for this lane of {@code link}. @param certificate the peer's */
    LinkConnection(Links links, SiteCertificate certificate, Link link, int lane) {
        this(links, certificate, true, link, lane);
    }

    private LinkConnection(Links links, SiteCertificate certificate, boolean dialled, Link link, int lane) {
        this.links = links;
        this.certificate = certificate;
        this.dialled = dialled;
        this.link = link;
        this.lane = lane;
        this.timeouts = links.config().timeouts();
    }

    /** Starts to listen on a connection that has just been secured, and to wait for the LINK_HELLO. @param end what stands last in its pipeline */
    void attach(ChannelHandlerContext end) {
        socket = FrameSocket.attach(end, this);
        path = StreamChannel.pathOf(end.channel());
        timer = links.after(timeouts.helloMs(), () -> {
            String detail = "no LINK_HELLO within " + timeouts.helloMs() + " ms";
            links.refusalCounter().count(LinkRefusal.TIMEOUT, this.toString(), detail);
            close(CloseNotice.closing(0, CloseReason.TIMEOUT, detail));
        });
    }

    /** The peer's site, as its certificate names it. */
    String site() {
        return certificate.site();
    }

    /** What the peer has shown. */
    SiteCertificate certificate() {
        return certificate;
    }

    boolean dialled() {
        return dialled;
    }

    /** Which of its link's connections it is; 0 as long as that is not known. */
    int lane() {
        return lane;
    }

    /** The way that it goes, from the end that dialled. */
    LinkPath path() {
        return path;
    }

    /** The relay at the other end; empty until its LINK_HELLO if this end was dialled. */
    String peer() {
        return link == null ? "" : link.relay();
    }

    /** LINK_HELLOs were exchanged and the link uses this connection. */
    boolean isUp() {
        return up;
    }

    /** It is being closed for a reason that the link has not heard yet. */
    boolean isClosing() {
        return socket.isClosed();
    }

    /** The peer has said CLOSE, and so why. */
    boolean isClosedByPeer() {
        return closedByPeer;
    }

    /** What came on it, before TLS. */
    long bytesIn() {
        return socket.bytesIn();
    }

    /** What was written on it, before TLS. */
    long bytesOut() {
        return socket.bytesOut();
    }

    /** What came on it of a frame of bulk, or of bulk packed in one, whose rest has not. */
    int incompleteBytes() {
        return runNumber != NO_RUN || socket.incompleteType() == FrameType.LINK_PACKED ? socket.incompleteBytes() : 0;
    }

    /** The epoch by which the peer knows this relay from here. */
    long epochSaid() {
        return epochSaid;
    }

    /** Whether each end says on it how much bulk has come on it. */
    boolean tellsWhatCame() {
        return arrivals != null;
    }

    /** Bytes a second that a lane which tells what came carries from the peer, as the end that did not dial says; 0 if that is not known. */
    long peerRate() {
        return peerRate;
    }

    boolean writable() {
        return socket.writable();
    }

    void write(LinkFrame frame) {
        if (frame.run() != null) {
            socket.write(frame.run().take());
            return;
        }
        if (frame.isBulk()) {
            writeWords(FrameType.LINK_RUN, frame.number(), frame.after());
        }
        socket.write(frame.bytes().retainedSlice());
    }

    void greet(LinkHello hello) {
        epochSaid = hello.epoch();
        socket.write(hello.encode());
    }

    /** @param atOnce whether it leaves before anything else is done */
    void acknowledge(LinkArrivals.Counts counts, boolean atOnce) {
        writeWords(FrameType.LINK_ACK, counts.heads(), counts.bulk(), counts.bulkReceived(), counts.incomplete());
        if (atOnce) {
            socket.flush();
        }
    }

    /** Says how many lanes this end would have. */
    void wantLanes(int count) {
        writeWords(FrameType.LINK_LANES, count);
    }

    /** Both LINK_HELLOs are through: frames may flow, and pings begin. */
    void begin(Link link, int lane) {
        this.link = link;
        this.lane = lane;
        up = true;
        timer.cancel(false);
        socket.watchedByOwner();
        bytesHeard = socket.bytesIn();
        arrivals = lane > 0 && !path.isDirect() ? new LaneArrivals() : null;
        if (lane == 0) {
            tell(links.keys().revocations());
        }
        ping();
        timer = links.after(timeouts.pingMs(), this::tick);
    }

    /** Passes a list of revoked certificates on, if it is one. */
    void tell(RevocationList list) {
        if (list.number() > 0) {
            byte[] encoded = list.encoded();
            int bytes = Wire.HEADER_BYTES + encoded.length;
            ByteBuffer frame = ByteBuffer.allocate(bytes);
            new FrameView().wrap(frame, 0).begin(FrameType.LINK_REVOKED, Wire.HEADER_BYTES, 0).length(bytes);
            socket.write(frame.put(Wire.HEADER_BYTES, encoded));
        }
    }

    /** Says which relays this one would lead the peer's lanes on to. */
    void tell(LinkReach reach) {
        socket.write(reach.encode());
    }

    /** Asks the peer for a sign of life and ends the connection if none comes within one ping interval. */
    void suspect() {
        int suspectMs = timeouts.silenceMs() - timeouts.pingMs();
        if (silentMs >= suspectMs) {
            return; // The next tick is the last one already; another suspicion must not put it off.
        }
        timer.cancel(false);
        silentMs = suspectMs;
        bytesHeard = socket.bytesIn();
        ping();
        timer = links.after(timeouts.pingMs(), this::tick);
    }

    /** Ends the connection and tells the peer why. */
    void close(CloseNotice why) {
        end(why);
        socket.close(why);
    }

    /** Nothing of it counts any more, though the peer does not hear so before it is {@link #cut}. */
    void leave(CloseNotice why) {
        end(why);
    }

    /** Ends the connection without a word. */
    void cut(CloseNotice why) {
        end(why);
        socket.cut(why);
    }

    @Override
    public void onFrame(FrameSocket socket, ByteBuf buffer, int index, int length, FrameView view)
            throws WireException {
        if (ended) {
            return;
        }
        try {
            FrameType type = view.type();
            if (up && CARRIED.contains(type)) {
                onCarried(type, buffer, index, length, view);
            } else if (runNumber != NO_RUN) {
                throw new WireException(CloseReason.NOT_EXPECTED, type + " from " + this + " behind a LINK_RUN");
            } else {
                onOwnFrame(type, buffer, index, length, view);
            }
        } catch (WireException e) {
            if (!up) {
                links.refusalCounter().count(LinkRefusal.of(e.reason()), toString(), e.getMessage());
            }
            end(CloseNotice.closing(0, e.reason(), e.getMessage()));
            throw e;
        }
    }

    @Override
    public void onReadEnd(FrameSocket socket) {
        if (up && !ended) {
            link.reception().onReadEnd();
            tellIfDue();
        }
        links.listener().onReadEnd();
    }

    private void tellIfDue() {
        if (arrivals != null && !ended && socket.writable() && arrivals.isDue(incompleteBytes(), System.nanoTime())) {
            writeWords(FrameType.LINK_CAME, arrivals.tell(incompleteBytes(), System.nanoTime()));
        }
    }

    @Override
    public void onWritable(FrameSocket socket) {
        if (up && !ended) {
            link.onSocketWritable();
            tellIfDue();
        }
    }

    @Override
    public void onTlsFailed(FrameSocket socket, SSLException failure) {
        LinkRefusal kind = LinkRefusal.of(failure);
        if (!ended && (!up || kind == LinkRefusal.RECORD_FLOOD)) {
            String detail = Causes.text(failure);
            links.refusalCounter().count(kind, toString(), detail);
            cut(up ? CloseNotice.closing(0, CloseReason.LIMIT, detail) : kind.notice("at " + socket.remote(), detail));
        }
    }

    @Override
    public void onRecordFlood(FrameSocket socket, String detail) {
        links.refusalCounter().count(LinkRefusal.RECORD_FLOOD, toString(), detail);
        close(CloseNotice.closing(0, CloseReason.LIMIT, detail));
    }

    @Override
    public void onClosed(FrameSocket socket, CloseNotice why) {
        end(why);
    }

    @Override
    public String toString() {
        String site = site();
        String peer = site.isEmpty() ? "a site without a name" : link == null ? "site " + site : "relay " + link.relay();
        return peer + (dialled ? " at " : " from ") + socket.remote()
                + (lane > 0 ? ", lane " + lane : "");
    }

    private void onCarried(FrameType type, ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        if (runNumber != NO_RUN) {
            long number = runNumber;
            runNumber = NO_RUN;
            count(length);
            link.reception().onBulk(number, runAfter, buffer, index, length, view);
        } else if (lane == 0) {
            link.reception().onHead(buffer, index, length, view);
        } else {
            throw new WireException(CloseReason.NOT_EXPECTED, type + " on lane " + lane + " from " + this + ", expected LINK_RUN first");
        }
    }

    private void count(int bulkBytes) {
        if (arrivals != null) {
            arrivals.frame(bulkBytes);
        }
    }

    private void onRun(long number, long after) throws WireException {
        if (number < 0 || after < 0) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "LINK_RUN of frame " + number + " after " + after);
        }
        runNumber = number;
        runAfter = after;
        link.reception().onMore();
        if (arrivals != null && arrivals.isDueAtOnce() && socket.writable()) {
            writeWords(FrameType.LINK_CAME, arrivals.tell(0, System.nanoTime()));
            socket.flush();
        }
    }

    private void onOwnFrame(FrameType type, ByteBuf buffer, int index, int length, FrameView view)
            throws WireException {
        if (type == FrameType.CLOSE) {
            onClose(CloseNotice.decode(buffer.nioBuffer(index, length)));
        } else if (type == FrameType.LINK_HELLO && !up) {
            links.onHello(this, LinkHello.decode(buffer.nioBuffer(index, length)));
        } else if (up && type == FrameType.LINK_ACK) {
            link.emission().onAcknowledged(view.linkWord(0), view.linkWord(1), view.linkWord(2), view.linkWord(3));
        } else if (arrivals != null && type == FrameType.LINK_CAME) {
            link.emission().onCame(lane, view.linkWord(0));
        } else if (arrivals != null && dialled && type == FrameType.LINK_RATE) {
            onRate(view.linkWord(0));
        } else if (up && type == FrameType.LINK_RUN) {
            onRun(view.linkWord(0), view.linkWord(1));
        } else if (up && type == FrameType.LINK_PACKED) {
            count(length);
            link.reception().onPacked(buffer, index, length, view);
        } else if (up && type == FrameType.LINK_LANES) {
            link.onLanesWanted(view.linkWord(0));
        } else if (up && type == FrameType.LINK_REACH && lane == 0 && path.isDirect()) {
            links.routing().onReach(link.relay(), LinkReach.decode(buffer.nioBuffer(index, length)));
        } else if (up && type == FrameType.LINK_PING) {
            link.onHeard(); // Whoever has got LINK_HELLO pings before it writes anything else that counts.
            // Not to a peer that sends pings and reads nothing: answers would pile up. It hears other bytes.
            if (socket.writable()) {
                writeWords(FrameType.LINK_PONG, view.linkWord(0));
            }
        } else if (up && type == FrameType.LINK_PONG) {
            onPong(view.linkWord(0));
        } else if (up && type == FrameType.LINK_REVOKED) {
            byte[] encoded = new byte[length - Wire.HEADER_BYTES];
            buffer.getBytes(index + Wire.HEADER_BYTES, encoded);
            links.onRevocations(this, encoded);
        } else {
            throw new WireException(
                    CloseReason.NOT_EXPECTED, type + " from " + this + (up ? "" : ", expected LINK_HELLO first"));
        }
    }

    private void onClose(CloseNotice why) {
        closedByPeer = true;
        boolean refused = why.reason() != CloseReason.NORMAL && why.reason() != CloseReason.RELAY_STOPPING;
        if (!up && refused) {
            links.refusalCounter().count(LinkRefusal.REFUSED_BY_PEER, toString(), why.reason() + " " + why.text());
        }
        cut(why);
    }

    private void onRate(long bytesPerSecond) throws WireException {
        if (bytesPerSecond < 0) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "LINK_RATE of " + bytesPerSecond + " bytes a second from " + this + ", expected 0 or more");
        }
        peerRate = bytesPerSecond;
    }

    private void onPong(long word) {
        if (pingedAtNanos != 0 && word == pingedAtNanos) {
            link.onRoundTrip(this, (System.nanoTime() - pingedAtNanos) / 1_000);
            pingedAtNanos = 0;
        }
    }

    private void tick() {
        long heard = socket.bytesIn();
        silentMs = heard == bytesHeard ? silentMs + timeouts.pingMs() : 0;
        bytesHeard = heard;
        if (silentMs == 0) {
            link.onProgress();
        }
        if (silentMs >= timeouts.silenceMs()) {
            cut(CloseNotice.closing(0, CloseReason.TIMEOUT, this + " was silent for " + silentMs + " ms"));
            return;
        }
        ping();
        timer = links.after(timeouts.pingMs(), this::tick);
    }

    private void ping() {
        long now = System.nanoTime();
        pingedAtNanos = now == 0 ? 1 : now;
        writeWords(FrameType.LINK_PING, pingedAtNanos);
        if (arrivals != null && !dialled) {
            writeWords(FrameType.LINK_RATE, link.emission().rate(lane));
        }
    }

    private void writeWords(FrameType type, long... words) {
        ByteBuffer frame = ByteBuffer.allocate(type.bytesMin());
        FrameView view = new FrameView().wrap(frame, 0).begin(type, type.bytesMin(), 0);
        for (int place = 0; place < words.length; place++) {
            view.linkWord(place, words[place]);
        }
        socket.write(frame);
    }

    private void end(CloseNotice why) {
        if (ended) {
            return;
        }
        ended = true;
        timer.cancel(false);
        if (link != null) {
            link.onEnded(this, why);
        }
    }
}
