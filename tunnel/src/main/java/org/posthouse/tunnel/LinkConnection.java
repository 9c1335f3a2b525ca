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
import org.posthouse.tunnel.socket.FrameSocket;
import org.posthouse.tunnel.socket.LinkRefusal;
import org.posthouse.tunnel.window.LaneCredit;
import org.posthouse.tunnel.window.LinkFrame;
import org.posthouse.tunnel.window.LinkReceiver;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.LinkHello;
import org.posthouse.wire.LinkReach;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * One authenticated connection that is a lane of a link, or a candidate for one. Confined to the relay's context.
 *
 * <p>It waits for the peer's LINK_HELLO, then carries frames and monitors the peer. It sends a ping each interval, and
 * ends when nothing was received for the silence time. It ends exactly once, whatever the cause. After that nothing
 * from it reaches the link, though the socket may take a while to close.
 */
final class LinkConnection implements FrameSocket.Listener {
    /**
     * The frame types that a link carries, counts and sends again. All other accepted types belong to the connection
     * itself.
     */
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

    /** Value that means no LINK_RUN preceded the next frame. */
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

    /** The link; set from the start if dialled, else null until the peer's LINK_HELLO. */
    private Link link;

    private int lane;

    /** This relay's epoch as its LINK_HELLO announced it; 0 before that. */
    private long epochSaid;

    private long runNumber = NO_RUN;
    private long runAfter;

    /**
     * Counts what arrived on a lane that reports its own arrivals; null on other lanes. Such a lane is a further lane
     * over other relays, so it has its own path.
     */
    private LaneCredit arrivals;

    /** Rate from the peer that the peer reported for such a lane, bytes a second; 0 if unknown. */
    private long peerRate;

    private boolean up;
    private boolean ended;
    private boolean closedByPeer;
    private ScheduledFuture<?> timer;
    private long bytesHeard;
    private int silentMs;

    /** {@link System#nanoTime} of the unanswered ping; 0 if there is none. */
    private long pingedAtNanos;

    /**
     * Creates an accepted connection.
     *
     * @param certificate the peer's
     */
    LinkConnection(Links links, SiteCertificate certificate) {
        this(links, certificate, false, null, 0);
    }

    /**
     * Creates a dialled connection for this lane of {@code link}.
     *
     * @param certificate the peer's
     */
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

    /**
     * Begins to read from a newly secured connection and waits for the LINK_HELLO.
     *
     * @param end the last handler of its pipeline
     */
    void attach(ChannelHandlerContext end) {
        socket = FrameSocket.attach(end, this);
        path = StreamChannel.pathOf(end.channel());
        timer = links.after(timeouts.helloMs(), () -> {
            String detail = "no LINK_HELLO within " + timeouts.helloMs() + " ms";
            links.refusalCounter().count(LinkRefusal.TIMEOUT, this.toString(), detail);
            close(CloseNotice.closing(0, CloseReason.TIMEOUT, detail));
        });
    }

    /** The peer's site, from its certificate. */
    String site() {
        return certificate.site();
    }

    /** The certificate that the peer has shown. */
    SiteCertificate certificate() {
        return certificate;
    }

    boolean dialled() {
        return dialled;
    }

    /** The number of this lane in its link; 0 as long as it is unknown. */
    int lane() {
        return lane;
    }

    /** The path of the connection, from the end that dialled. */
    LinkPath path() {
        return path;
    }

    /** The relay at the other end. If this end was dialled, it is empty until the peer's LINK_HELLO. */
    String peer() {
        return link == null ? "" : link.relay();
    }

    /** Whether LINK_HELLOs were exchanged and the link uses this connection. */
    boolean isUp() {
        return up;
    }

    /** Whether the connection is being closed for a reason that the link does not know yet. */
    boolean isClosing() {
        return socket.isClosed();
    }

    /** Whether the peer has sent CLOSE, which carries its reason. */
    boolean isClosedByPeer() {
        return closedByPeer;
    }

    /** Bytes received, before TLS. */
    long bytesIn() {
        return socket.bytesIn();
    }

    /** Bytes written, before TLS. */
    long bytesOut() {
        return socket.bytesOut();
    }

    /** Received bytes of an incomplete bulk frame, or of an incomplete frame that carries packed bulk. */
    int incompleteBytes() {
        return runNumber != NO_RUN || socket.incompleteType() == FrameType.LINK_PACKED ? socket.incompleteBytes() : 0;
    }

    /** This relay's epoch as the peer knows it from this connection. */
    long epochSaid() {
        return epochSaid;
    }

    /** Whether each end reports on this connection how much bulk has arrived on it. */
    boolean tellsWhatCame() {
        return arrivals != null;
    }

    /**
     * Rate from the peer in bytes a second, as the accepting end reports it; 0 if unknown. Known only for lanes that
     * report their own arrivals.
     */
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

    /** @param atOnce whether the socket is flushed before anything else is done */
    void acknowledge(LinkReceiver.Counts counts, boolean atOnce) {
        writeWords(FrameType.LINK_ACK, counts.heads(), counts.bulk(), counts.bulkReceived(), counts.incomplete());
        if (atOnce) {
            socket.flush();
        }
    }

    /** Tells the peer how many lanes this end wants. */
    void wantLanes(int count) {
        writeWords(FrameType.LINK_LANES, count);
    }

    /** Called when both LINK_HELLOs were exchanged. Frames may be sent, and pings begin. */
    void begin(Link link, int lane) {
        this.link = link;
        this.lane = lane;
        up = true;
        timer.cancel(false);
        socket.watchedByOwner();
        bytesHeard = socket.bytesIn();
        arrivals = lane > 0 && !path.isDirect() ? new LaneCredit() : null;
        if (lane == 0) {
            tell(links.keys().revocations());
        }
        ping();
        timer = links.after(timeouts.pingMs(), this::tick);
    }

    /** Sends the list of revoked certificates to the peer, unless it is empty. */
    void tell(RevocationList list) {
        if (list.number() > 0) {
            byte[] encoded = list.encoded();
            int bytes = Wire.HEADER_BYTES + encoded.length;
            ByteBuffer frame = ByteBuffer.allocate(bytes);
            new FrameView().wrap(frame, 0).begin(FrameType.LINK_REVOKED, Wire.HEADER_BYTES, 0).length(bytes);
            socket.write(frame.put(Wire.HEADER_BYTES, encoded));
        }
    }

    /** Tells the peer to which relays this relay can forward its lanes. */
    void tell(LinkReach reach) {
        socket.write(reach.encode());
    }

    /** Pings the peer and ends the connection if it sends nothing within one ping interval. */
    void suspect() {
        int suspectMs = timeouts.silenceMs() - timeouts.pingMs();
        if (silentMs >= suspectMs) {
            return; // The next tick already is the last one; a second suspicion must not delay it.
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

    /** Detaches the connection from the link. The peer is not told before {@link #cut}. */
    void leave(CloseNotice why) {
        end(why);
    }

    /** Ends the connection without telling the peer. */
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
            // A peer that has received LINK_HELLO pings before it writes any carried frame.
            link.onHeard();
            // A peer that pings but does not read gets no answer; answers would pile up. It receives other bytes.
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
