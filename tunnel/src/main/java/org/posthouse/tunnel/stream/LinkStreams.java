package org.posthouse.tunnel.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.nio.ByteBuffer;
import java.util.List;
import org.posthouse.keys.RelayId;
import org.posthouse.status.LinkStatus;
import org.posthouse.tunnel.window.FairShare;
import org.posthouse.tunnel.window.RetainedFrame;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.StreamEnd;
import org.posthouse.wire.StreamOpen;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * The streams of one link at one of its relays. Confined to the relay's context; uses no socket and no clock.
 *
 * <p>Each end numbers the streams that it opens and never reuses a number; the relay with the smaller id uses odd
 * numbers. A frame with a used but absent number therefore belongs to an ended stream and is dropped. A frame that
 * breaks the protocol changes nothing; it is sent again on the link's next connection.
 */
final class LinkStreams {
    /** A limit above the number of buffers of any relay. */
    private static final int TOKENS_MAX = 1 << 16;

    private static final int STEP = 2;

    /** The link below the streams. */
    interface Port {
        void send(ByteBuf frame);

        /** False while the window has no space for streams. */
        boolean writable();
    }

    private final String relay;
    private final String site;
    private final Port port;
    private final StreamAcceptor doors;
    private final StreamBuffers buffers;
    private final StreamCounters tally;
    private final IntObjectMap<LinkStream> streams = new IntObjectHashMap<>();
    private final StreamMarks marks = new StreamMarks();
    private final FrameView out = new FrameView();
    private final int theirParity;
    private long bytesIn;
    private long bytesOut;

    /** The next number for a stream; negative when all 2^30 numbers of this end were used. */
    private int nextId;

    /** The largest number that the other end has used; negative before the first. */
    private int heardId;

    LinkStreams(String own, String relay, Port port, StreamAcceptor doors, StreamBuffers buffers, StreamCounters tally) {
        this.relay = relay;
        this.site = RelayId.parse(relay).site();
        this.port = port;
        this.doors = doors;
        this.buffers = buffers;
        this.tally = tally;
        boolean smaller = own.compareTo(relay) < 0;
        this.nextId = smaller ? 1 : STEP;
        this.theirParity = smaller ? 0 : 1;
        this.heardId = theirParity - STEP;
    }

    String relay() {
        return relay;
    }

    /** The site of the relay at the other end. */
    String site() {
        return site;
    }

    StreamCounters tally() {
        return tally;
    }

    boolean writable() {
        return port.writable();
    }

    int open() {
        return streams.size();
    }

    LinkStatus.Streams status() {
        long tokensIn = 0;
        long tokensOut = 0;
        for (LinkStream stream : streams.values()) {
            tokensIn += stream.tokensGiven();
            tokensOut += stream.tokens();
        }
        return new LinkStatus.Streams(streams.size(), bytesIn, bytesOut, tokensIn, tokensOut);
    }

    /**
     * Opens a stream to a door of the other relay. If that is not possible, returns null and notifies {@code listener}.
     */
    LinkStream open(String door, LinkStream.Listener listener) {
        if (!marks.mayOpen() || nextId < 0 || !buffers.tryOpen(site)) {
            tally.refused();
            listener.onEnded(CloseReason.LIMIT, nextId < 0 ? wornOut() : marks.mayOpen() ? limit() : unacknowledged("openings"));
            return null;
        }
        tally.opened();
        LinkStream stream = new LinkStream(this, buffers, nextId, listener);
        nextId += STEP;
        streams.put(stream.id(), stream);
        marks.opening();
        send(Unpooled.wrappedBuffer(new StreamOpen(stream.id(), buffers.first(), door).encode()));
        return stream;
    }

    /**
     * Handles a received frame of a stream.
     *
     * @throws WireException if it breaks the protocol
     */
    void onFrame(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        switch (view.type()) {
            case STREAM_OPEN -> onOpen(StreamOpen.decode(buffer.nioBuffer(index, length)));
            case STREAM_DATA -> onData(known(view.stream()), buffer, index, length, view);
            case STREAM_TOKENS -> onTokens(known(view.stream()), view);
            default -> onEnd(StreamEnd.decode(buffer.nioBuffer(index, length)));
        }
    }

    /** Called when the link's window has space again. */
    void onWritable() {
        List.copyOf(streams.values()).forEach(LinkStream::onLinkWritable);
    }

    /** The other relay has handled the next {@code frames} stream frames. */
    void onAcknowledged(long frames) {
        boolean waits = !marks.maySendTokens();
        marks.onAcknowledged(frames);
        if (waits && marks.maySendTokens()) {
            List.copyOf(streams.values()).forEach(LinkStream::giveBack);
        }
    }

    void onLinkDown() {
        List.copyOf(streams.values()).forEach(LinkStream::onLinkDown);
    }

    /**
     * Ends all streams because the other relay restarted or this one stops. The other relay's numbering begins again.
     */
    void endAll(CloseReason closeReason, String text) {
        heardId = theirParity - STEP;
        marks.clear();
        List.copyOf(streams.values()).forEach(stream -> stream.onEnd(closeReason, text));
    }

    void handOverIdle() {
        streams.values().forEach(LinkStream::handOverIfIdle);
    }

    private void onOpen(StreamOpen open) throws WireException {
        if (open.stream() <= heardId || (open.stream() & 1) != theirParity) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED,
                    "relay " + relay + " opens stream " + open.stream() + ", expected " + (heardId + STEP) + " or a later one");
        }
        requireTokens(open.tokens(), 0);
        if (!marks.mayAnswer()) {
            throw new WireException(CloseReason.LIMIT, unacknowledged("answers to openings"));
        }
        heardId = open.stream();
        if (!buffers.tryOpen(site)) {
            tally.refused();
            marks.answer();
            send(new StreamEnd(open.stream(), CloseReason.LIMIT, limit()));
            return;
        }
        tally.opened();
        LinkStream stream = new LinkStream(this, buffers, open.stream(), open.tokens());
        streams.put(stream.id(), stream);
        doors.onAsked(stream, open.door());
    }

    private void onData(LinkStream stream, ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        if (stream == null) {
            return;
        }
        stream.requireToken();
        int bytes = length - Wire.STREAM_HEADER_BYTES;
        tally.in(bytes);
        bytesIn += bytes;
        ByteBuf kept = bytes == 0
                ? Unpooled.EMPTY_BUFFER
                : RetainedFrame.rightSized(buffer.retainedSlice(index + Wire.STREAM_HEADER_BYTES, bytes));
        stream.onData(kept, (view.flags() & FrameView.END) != 0);
    }

    private void onTokens(LinkStream stream, FrameView view) throws WireException {
        boolean handedOver = (view.flags() & FrameView.HANDED_OVER) != 0;
        requireTokens(view.streamTokens(), stream == null || handedOver ? 0 : stream.tokens());
        if (stream == null) {
            return;
        }
        if (handedOver) {
            stream.onHandedOver(view.streamTokens());
        } else {
            stream.onTokens(view.streamTokens());
        }
    }

    private void onEnd(StreamEnd end) throws WireException {
        LinkStream stream = known(end.stream());
        if (stream != null) {
            if (stream.state() == LinkStream.State.OPENING) {
                tally.refused();
            }
            stream.onEnd(end.reason(), end.text());
        }
    }

    /**
     * The stream with this number; null if it has ended.
     *
     * @throws WireException if there never was such a stream
     */
    private LinkStream known(int id) throws WireException {
        boolean theirs = (id & 1) == theirParity;
        if (id < 1 || id > (theirs ? heardId : nextId - STEP)) {
            throw new WireException(CloseReason.NOT_EXPECTED, "relay " + relay + " speaks of stream " + id + ", which nobody has opened");
        }
        return streams.get(id);
    }

    private void requireTokens(int count, int had) throws WireException {
        if (count < 1 || count > TOKENS_MAX - had) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME,
                    "relay " + relay + " gives " + count + " tokens of a stream, expected 1 to " + (TOKENS_MAX - had));
        }
    }

    private String limit() {
        return buffers.open() + " streams are open at this relay, at most " + buffers.config().streams() + " (--streams), and " + buffers.open(site)
                + " of them are of site " + site + "; " + FairShare.RULE;
    }

    private String wornOut() {
        return "this relay has opened " + (1 << 30) + " streams to relay " + relay + " since it was started, and has no number for another: start it again";
    }

    private String unacknowledged(String what) {
        return "relay " + relay + " has not acknowledged " + StreamMarks.MAX + " " + what + " of streams, expected fewer";
    }

    // ---- frames that the streams send

    void forget(LinkStream stream) {
        streams.remove(stream.id());
    }

    /** Notes that the next frame answers an opening of the other end. */
    void answers() {
        marks.answer();
    }

    /** Whether tokens may be sent. If not, {@link LinkStream#giveBack} is called once they may. */
    boolean maySendTokens() {
        return marks.maySendTokens();
    }

    /** Sends tokens that do not answer an opening. */
    void sendTokens(int flags, int id, int tokens) {
        marks.tokens();
        send(flags, id, tokens);
    }

    void send(StreamEnd end) {
        send(Unpooled.wrappedBuffer(end.encode()));
    }

    void send(int flags, int id, int tokens) {
        ByteBuffer frame = ByteBuffer.allocate(Wire.STREAM_HEADER_BYTES);
        out.wrap(frame, 0).begin(FrameType.STREAM_TOKENS, Wire.STREAM_HEADER_BYTES, 0).flags(flags).stream(id, tokens);
        send(Unpooled.wrappedBuffer(frame));
    }

    private void send(ByteBuf frame) {
        marks.onSent();
        port.send(frame);
    }

    /**
     * Sends data as a copy. The link then keeps exactly the frame's bytes in memory, however large the buffer was that
     * they were read into.
     */
    void sendData(int id, ByteBuf bytes, boolean last) {
        int payload = bytes.readableBytes();
        int length = Wire.STREAM_HEADER_BYTES + payload;
        ByteBuf frame = ByteBufAllocator.DEFAULT.directBuffer(length, length);
        frame.writeZero(Wire.STREAM_HEADER_BYTES);
        out.wrap(frame.nioBuffer(0, Wire.STREAM_HEADER_BYTES), 0)
                .begin(FrameType.STREAM_DATA, Wire.STREAM_HEADER_BYTES, 0)
                .length(length)
                .flags(last ? FrameView.END : 0)
                .stream(id, 0);
        frame.writeBytes(bytes);
        bytes.release();
        tally.out(payload);
        bytesOut += payload;
        send(frame);
    }
}
