package org.posthouse.tunnel.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.StreamEnd;
import org.posthouse.wire.WireException;

/**
 * One end of a stream: a flow of bytes in each direction over a link. Confined to the relay's context; uses no socket
 * and no clock.
 *
 * <p>Each STREAM_DATA consumes a token of the other end, which has reserved a buffer for it. The token returns when the
 * bytes have left there ({@link #left}). This bounds the memory that an unread stream can occupy at a relay, and no
 * other stream waits for it. A stream whose bytes leave at once gets spare tokens. It returns them when other streams
 * need them or when it was idle (Grid Gateway, 3.2: opened ports hand over some tokens).
 *
 * <p>The stream ends when both ends have called {@link #finish} and all bytes have left. It ends at once by
 * {@link #end}, STREAM_END, or a restart of the other relay.
 */
public final class LinkStream {
    /** The state of a stream at this end. */
    public enum State {
        /** Opened here; the other end has not answered. */
        OPENING,
        /** Opened by the other end; the connection to the door is being made. */
        ASKED,
        /** Bytes may flow. */
        OPEN,
        /** Over; frames that still arrive are dropped. */
        ENDED
    }

    /** The user of this end, usually a socket. */
    public interface Listener {
        /**
         * Receives the next bytes, perhaps none. The listener owns the buffer and calls {@link LinkStream#left} when
         * the bytes have left.
         *
         * @param last whether these are the last bytes
         */
        void onBytes(ByteBuf bytes, boolean last);

        /** {@link LinkStream#writable} turned true. */
        void onWritable();

        /** Both ends have finished, and all received bytes have left. */
        void onDone();

        /** The stream failed or was refused. Not called for {@link LinkStream#end}. */
        void onEnded(CloseReason closeReason, String text);

        /** The stream's link is down. The stream continues unless it is ended now. */
        default void onLinkDown() {}
    }

    /**
     * Tokens are returned once a quarter of the stream's tokens is due. This saves frames, and never leaves the other
     * end without tokens.
     */
    private static final int PARTS_KEPT_BACK = 4;

    private final LinkStreams link;
    private final StreamBuffers buffers;
    private final int id;
    private Listener listener;
    private State state;

    /** Frames that may be sent. */
    private int tokens;

    /** Tokens that the other end granted first; any beyond them are returned when idle. */
    private int tokensFirst;

    private boolean finishing;
    private boolean finished;
    private boolean sentLately;

    /**
     * The initial tokens until the stream is open. Then the tokens that the other end has, plus those used for
     * {@code held} and {@code due} here.
     */
    private int granted;

    /** Received frames that have not left. */
    private int held;

    /** Tokens of frames that have left, not yet returned to the other end. */
    private int due;

    private boolean heardLast;

    /** Creates a stream that is opened here. */
    LinkStream(LinkStreams link, StreamBuffers buffers, int id, Listener listener) {
        this.link = link;
        this.buffers = buffers;
        this.id = id;
        this.listener = listener;
        this.state = State.OPENING;
        this.granted = buffers.first();
    }

    /** Creates a stream that the other end opens, granting {@code tokens}. */
    LinkStream(LinkStreams link, StreamBuffers buffers, int id, int tokens) {
        this.link = link;
        this.buffers = buffers;
        this.id = id;
        this.state = State.ASKED;
        this.granted = buffers.first();
        this.tokens = tokens;
        this.tokensFirst = tokens;
    }

    int id() {
        return id;
    }

    /** The relay at the other end. */
    public String relay() {
        return link.relay();
    }

    /** Number of frames that this end may send. */
    int tokens() {
        return tokens;
    }

    /** Number of frames that the other end may send, as far as this end knows. */
    int tokensGiven() {
        return state == State.ASKED ? 0 : granted - held - due;
    }

    public State state() {
        return state;
    }

    // ---- calls of this end's owner

    /** Accepts the stream once the door is open; bytes may then flow both ways. */
    public void accept(Listener listener) {
        if (state == State.ASKED) {
            this.listener = listener;
            state = State.OPEN;
            link.answers();
            link.send(0, id, granted);
        }
    }

    /** Whether {@link #write} may be called. */
    public boolean writable() {
        return state == State.OPEN && tokens > 0 && !finishing && link.writable();
    }

    /**
     * Sends 1 to 65,536 bytes and takes ownership of the buffer.
     *
     * @throws IllegalStateException without a token
     */
    public void write(ByteBuf bytes) {
        if (state != State.OPEN || tokens == 0 || finishing) {
            bytes.release();
            throw new IllegalStateException(this + ": a write without a token");
        }
        takeToken();
        link.sendData(id, bytes, false);
    }

    /** Declares that this end sends no more bytes. */
    public void finish() {
        finishing = true;
        sayFinish();
    }

    /** Reports that the bytes of one frame have left; frames leave oldest first. */
    public void left() {
        held--;
        due++;
        giveBack();
        endIfDone();
    }

    /** Ends the stream in both directions. The other end receives the reason after all data sent before. */
    public void end(CloseReason closeReason, String text) {
        if (state != State.ENDED) {
            if (state == State.ASKED) {
                link.tally().refused();
                link.answers();
            }
            link.send(new StreamEnd(id, closeReason, text));
            over();
        }
    }

    // ---- frames from the other end

    void onTokens(int count) throws WireException {
        if (state == State.ASKED) {
            throw new WireException(CloseReason.NOT_EXPECTED, this + ": tokens before it was answered");
        }
        boolean none = tokens == 0;
        tokens += count;
        if (state == State.OPENING) {
            state = State.OPEN;
            tokensFirst = count;
        }
        sayFinish();
        if (none && writable()) {
            listener.onWritable();
        }
    }

    void onHandedOver(int count) throws WireException {
        if (count > tokensGiven() || granted - count < buffers.first()) {
            throw new WireException(
                    CloseReason.CREDIT_EXCEEDED,
                    this + " hands over " + count + " tokens, expected at most " + tokensGiven() + " and "
                            + buffers.first() + " left");
        }
        granted -= count;
        buffers.takeBack(count);
    }

    /** @param bytes owned by the listener */
    void onData(ByteBuf bytes, boolean last) {
        held++;
        heardLast = last;
        listener.onBytes(bytes, last);
    }

    /** @throws WireException if the frame has no token; nothing has changed */
    void requireToken() throws WireException {
        if (heardLast) {
            throw new WireException(CloseReason.NOT_EXPECTED, this + ": bytes behind the last");
        }
        if (state != State.OPEN || tokensGiven() <= 0) {
            throw new WireException(
                    CloseReason.CREDIT_EXCEEDED,
                    this + ": a frame without a token, " + (state == State.OPEN ? granted : 0) + " were given, " + held
                            + " wait here and " + due + " are not given back");
        }
    }

    void onEnd(CloseReason closeReason, String text) {
        if (state != State.ENDED) {
            over();
            if (listener != null) {
                listener.onEnded(closeReason, text);
            }
        }
    }

    void onLinkWritable() {
        if (writable()) {
            listener.onWritable();
        }
    }

    void onLinkDown() {
        if (listener != null) {
            listener.onLinkDown();
        }
    }

    /**
     * Called periodically. Returns the tokens beyond the initial ones if the stream sent nothing since the last call.
     */
    void handOverIfIdle() {
        int more = tokens - tokensFirst;
        if (state == State.OPEN && !sentLately && more > 0 && link.maySendTokens()) {
            tokens -= more;
            link.sendTokens(FrameView.HANDED_OVER, id, more);
        }
        sentLately = false;
    }

    private void takeToken() {
        tokens--;
        sentLately = true;
        link.tally().usedToken(tokens == 0);
    }

    private void sayFinish() {
        if (finishing && !finished && state == State.OPEN && tokens > 0) {
            finished = true;
            takeToken();
            link.sendData(id, Unpooled.EMPTY_BUFFER, true);
            endIfDone();
        }
    }

    /**
     * Returns due tokens in portions of at least a quarter, so the other end always has some left. Returns none while
     * the other end does not acknowledge them.
     */
    void giveBack() {
        if (state != State.OPEN || heardLast || due < Math.max(1, granted / PARTS_KEPT_BACK) || !link.maySendTokens()) {
            return;
        }
        int over = Math.min(due, Math.max(0, granted - buffers.share()));
        granted -= over;
        due -= over;
        buffers.takeBack(over);
        int more = held == 0 ? buffers.lend(granted, due) : 0;
        granted += more;
        int given = due + more;
        due = 0;
        if (given > 0) {
            link.sendTokens(0, id, given);
        }
    }

    private void endIfDone() {
        if (state == State.OPEN && finished && heardLast && held == 0) {
            over();
            listener.onDone();
        }
    }

    private void over() {
        state = State.ENDED;
        buffers.close(link.site(), granted);
        link.forget(this);
    }

    @Override
    public String toString() {
        return "stream " + id + " of the link to " + link.relay() + " (" + state + ")";
    }
}
