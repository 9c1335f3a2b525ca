package org.posthouse.tunnel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.StreamEnd;
import org.posthouse.wire.WireException;

/**
 * One end of a stream: a flow of bytes each way over a link. Confined to the relay's context; knows no socket and no clock.
 *
 * <p>Each STREAM_DATA takes a token of the other end, which has kept a buffer for it, and comes back when its bytes have left
 * there ({@link #left}). So what a stream that nobody reads can make a relay hold is bounded, and nobody else waits for it. A
 * stream over which everything that came leaves at once gets more tokens while there are some to spare, and gives them back when others come
 * or when it was idle (Grid Gateway, 3.2: opened ports hand over some tokens).
 *
 * <p>It ends when both ends have said {@link #finish} and everything has left, or at once: {@link #end}, STREAM_END, or the restart of the
 * other relay.
 */
final class LinkStream {
    /** Where a stream stands at this end. */
    enum State {
        /** Opened here; the other end has not answered. */
        OPENING,
        /** Opened by the other end; the door is being tried. */
        ASKED,
        /** Bytes may flow. */
        OPEN,
        /** Over: what still comes of it is dropped. */
        ENDED
    }

    /** What stands at this end: a socket, mostly. */
    interface Listener {
        /**
         * The next bytes, perhaps none; the listener owns them and calls {@link LinkStream#left} when they have left.
         *
         * @param last none come behind these
         */
        void onBytes(ByteBuf bytes, boolean last);

        /** {@link LinkStream#writable} turned true. */
        void onWritable();

        /** Both ends have finished, and everything that came has left. */
        void onDone();

        /** The stream broke, or was refused. Not called for {@link LinkStream#end}. */
        void onEnded(CloseReason closeReason, String text);

        /** The stream's link is down; the stream is not, unless it is ended now. */
        default void onLinkDown() {}
    }

    /** Tokens go back when they are a quarter of the stream's: fewer frames, and the other end is never out of them for that. */
    private static final int PARTS_KEPT_BACK = 4;

    private final LinkStreams link;
    private final StreamBuffers buffers;
    private final int id;
    private Listener listener;
    private State state;

    /** Frames that may be sent. */
    private int tokens;

    /** What the other end gave first; those beyond it are handed over when idle. */
    private int tokensFirst;

    private boolean finishing;
    private boolean finished;
    private boolean sentLately;

    /** L until the stream is open, then tokens that the other end has, or had used for what is {@code held} or {@code due} here. */
    private int granted;

    /** Frames that came and have not left. */
    private int held;

    /** Tokens of frames that have left and that the other end does not have back yet. */
    private int due;

    private boolean heardLast;

    /** One that is opened here. */
    LinkStream(LinkStreams link, StreamBuffers buffers, int id, Listener listener) {
        this.link = link;
        this.buffers = buffers;
        this.id = id;
        this.listener = listener;
        this.state = State.OPENING;
        this.granted = buffers.first();
    }

    /** One that the other end opens, giving {@code tokens}. */
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
    String relay() {
        return link.relay();
    }

    /** Frames that it may send. */
    int tokens() {
        return tokens;
    }

    /** Frames that the other end may send, as far as is known here. */
    int tokensGiven() {
        return state == State.ASKED ? 0 : granted - held - due;
    }

    State state() {
        return state;
    }

    // ---- what this end's owner says

    /** The door is open: bytes may come, and go. */
    void accept(Listener listener) {
        if (state == State.ASKED) {
            this.listener = listener;
            state = State.OPEN;
            link.answers();
            link.send(0, id, granted);
        }
    }

    /** Whether {@link #write} may be called. */
    boolean writable() {
        return state == State.OPEN && tokens > 0 && !finishing && link.writable();
    }

    /** Sends 1 to 65,536 bytes; takes over the buffer. @throws IllegalStateException without a token */
    void write(ByteBuf bytes) {
        if (state != State.OPEN || tokens == 0 || finishing) {
            bytes.release();
            throw new IllegalStateException(this + ": a write without a token");
        }
        takeToken();
        link.sendData(id, bytes, false);
    }

    /** No bytes come from here any more. */
    void finish() {
        finishing = true;
        sayFinish();
    }

    /** The bytes of one frame have left, oldest first. */
    void left() {
        held--;
        due++;
        giveBack();
        endIfDone();
    }

    /** Ends the stream both ways; the other end hears why, behind what was sent before. */
    void end(CloseReason closeReason, String text) {
        if (state != State.ENDED) {
            if (state == State.ASKED) {
                link.tally().refused();
                link.answers();
            }
            link.send(new StreamEnd(id, closeReason, text));
            over();
        }
    }

    // ---- what comes from the other end

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

    /** @param bytes the listener's own */
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

    /** Called now and then: what was not used since the last time and is more than the first tokens goes back. */
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

    /** In portions: as long as fewer than a quarter is kept back, the other end has some left. None while it acknowledges none. */
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
