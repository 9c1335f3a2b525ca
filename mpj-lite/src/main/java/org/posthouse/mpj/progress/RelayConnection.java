package org.posthouse.mpj.progress;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.posthouse.mpj.channel.Credentials;
import org.posthouse.mpj.channel.FrameChannel;
import org.posthouse.mpj.channel.Platform;
import org.posthouse.mpj.operation.Content;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.WireException;

/**
 * The connection of a rank to its home relay, as a sequence of connections. A relay may ask a rank to reconnect
 * (docs/wire.md, moving a connection). In a logged job, a broken connection is replaced (coming again). From the rank's
 * MOVE or the break on, no frame may begin until the relay has sent WELCOME on the next connection.
 *
 * <p>Guarded by its endpoint's lock, except {@link #read}, {@link #dial} and {@link #redial}. The one reading thread
 * calls those without the lock, and only it replaces the connection.
 *
 * <p>A fault of a replaceable connection is no fault for the writer: the frame is kept, or follows from what the rank
 * has under way, and is sent again. The reading thread reports the fault when it has read what there is.
 */
public final class RelayConnection {
    /** The state of the connection. */
    private enum Stage {
        /** HELLO was sent; the next frame is WELCOME. */
        GREETING,
        /** WELCOME has come; its pages of STATE come next. */
        INFORMED,
        OPEN,
        /** The rank has sent its last frame; the relay's last ones come. */
        LEAVING,
        /** The relay's last frame has come; the next connection is due. */
        LEFT,
        /** Nothing can be sent to the relay any more; what has come from it is still read. */
        BROKEN
    }

    /** Shortest payload for which a second buffer in a system call costs less than a copy. */
    private static final int IN_PLACE_BYTES_MIN = 16 * 1024;

    private final RelayDialer relayDialer;
    private FrameChannel line;
    private Stage stage = Stage.GREETING;

    /** Pages of STATE still to come. */
    private int pagesLeft;

    /** The frames that were written, if the job is logged; else null. */
    private ResendBuffer resendBuffer;

    /** Whether a broken connection is replaced: before WELCOME on it, and always in a logged job. */
    private boolean replaceable = true;

    /**
     * Whether to wait for a relay that is down or does not know the rank, because the job is logged as far as is known.
     */
    private boolean awaits;

    /** Why this connection can be read no further; null if it can. Used by the reading thread. */
    private IOException ended;

    private boolean catchesUp;

    /** Whether HELLO was sent on the relay's request to move, and is not answered yet. */
    private boolean moves;

    /** Whether an ACK was requested for want of room, and has not come. */
    private boolean asked;

    private RelayConnection(RelayDialer relayDialer, FrameChannel line, boolean awaits) {
        this.relayDialer = relayDialer;
        this.line = line;
        this.awaits = awaits;
    }

    /**
     * Connects, authenticates and sends HELLO. A process that replaces another retries for as long as one whose
     * connection broke: a restarted relay may have cost both.
     *
     * @param awaits whether the first process of a rank retries as long, because its relay returns with the job
     * @throws IOException naming the relay
     */
    public static RelayConnection connect(Platform machine, String relay, Credentials credentials, Settings settings,
            Hello hello, boolean awaits) throws IOException {
        RelayDialer relayDialer = new RelayDialer(machine, relay, hello, credentials, settings.busyPollUs(), settings.reconnectS() * 1_000L);
        boolean waits = hello.incarnation() > 1 || awaits;
        RelayConnection home = new RelayConnection(relayDialer, first(relayDialer, waits), waits);
        home.say(hello.encode(), List.of());
        return home;
    }

    private static FrameChannel first(RelayDialer relayDialer, boolean awaits) throws IOException {
        try {
            return relayDialer.once();
        } catch (IOException e) {
            if (!awaits) {
                throw e;
            }
            return relayDialer.again(e, true);
        }
    }

    /** The relay, as host:port. */
    public String remote() {
        return line.remote();
    }

    // ---- frames, as in FrameChannel

    /** Begins a frame of this many bytes. */
    public FrameView begin(int bytes) throws IOException {
        requireWritable();
        if (resendBuffer == null) {
            return line.begin(bytes);
        }
        if (!resendBuffer.fits(bytes)) {
            flush();
        }
        return resendBuffer.begin(bytes);
    }

    /**
     * Ends the frame that was begun, with these bytes of the message. Long payloads are sent at once, from their own
     * memory, if allowed.
     */
    public void end(int headerBytes, Content content, long from, int bytes) throws IOException {
        ByteBuffer inPlace = resendBuffer == null && bytes >= IN_PLACE_BYTES_MIN ? content.inPlace(from, bytes) : null;
        if (inPlace == null) {
            content.write(from, payload(headerBytes, bytes));
            end(headerBytes + bytes);
        } else {
            line.end(headerBytes, inPlace);
        }
    }

    /** The place of the payload of the frame that was begun. */
    public ByteBuffer payload(int headerBytes, int payloadBytes) {
        return resendBuffer == null ? line.payload(headerBytes, payloadBytes) : resendBuffer.payload(headerBytes, payloadBytes);
    }

    /** Ends the frame that was begun. */
    public void end(int bytes) {
        if (resendBuffer == null) {
            line.end(bytes);
        } else {
            resendBuffer.end(bytes);
        }
    }

    /** Writes a whole frame that is not kept. */
    public void write(ByteBuffer frame) throws IOException {
        requireWritable();
        flush();
        send(frame);
    }

    /** Sends what was written. */
    public void flush() throws IOException {
        if (resendBuffer == null) {
            line.flush();
            return;
        }
        ByteBuffer leaving = resendBuffer.leaving();
        if (leaving.hasRemaining()) {
            send(leaving);
            resendBuffer.left();
        }
    }

    private void send(ByteBuffer frames) throws IOException {
        if (stage == Stage.BROKEN) {
            return;
        }
        try {
            line.write(frames);
        } catch (IOException e) {
            broken(e);
        }
    }

    boolean readable() throws IOException {
        if (ended != null) {
            return true;
        }
        try {
            return line.readable();
        } catch (IOException e) {
            end(e);
            return true;
        }
    }

    void read(boolean wakeable) throws IOException {
        if (ended != null) {
            return;
        }
        try {
            line.read(wakeable);
        } catch (IOException e) {
            end(e);
        }
    }

    void wake() {
        line.wake();
    }

    void dispatch(FrameChannel.Handler handler) throws WireException, IOException {
        line.dispatch(handler);
    }

    /** Closes the connection. */
    public void close() throws IOException {
        line.close();
    }

    // ---- stages

    /** Whether the relay receives what is written. */
    public boolean isOpen() {
        return stage == Stage.OPEN;
    }

    /** Whether no other connection replaces this one if it breaks. */
    public boolean isOnly() {
        return stage == Stage.OPEN && resendBuffer == null;
    }

    /** Whether new frames may begin: the connection is open, the rank does not catch up, and not too much is kept. */
    public boolean hasRoom() {
        return stage == Stage.OPEN && (resendBuffer == null || !catchesUp && !resendBuffer.isFull());
    }

    /** Sets whether the relay is sending what was lost in a break. Until it has, no new frame is sent. */
    public void catchUp(boolean catchesUp) {
        this.catchesUp = catchesUp;
    }

    /** Checks the state for a new frame. A break after the check changes nothing for a frame begun then. */
    private void requireWritable() {
        if (stage != Stage.OPEN && stage != Stage.BROKEN) {
            throw new IllegalStateException("a frame is written while the line to " + remote() + " is " + stage);
        }
    }

    /**
     * Checks that a frame of this type may come now.
     *
     * @throws WireException if the relay may not send it now
     */
    public void expect(FrameType type) throws WireException {
        boolean ending = type == FrameType.CLOSE || type == FrameType.ABORT;
        boolean expected =
                switch (stage) {
                    case GREETING -> type == FrameType.WELCOME || ending;
                    case INFORMED -> type == FrameType.STATE || ending;
                    case OPEN, LEAVING -> type != FrameType.WELCOME && type != FrameType.STATE;
                    case BROKEN -> type != FrameType.WELCOME && (type != FrameType.STATE || pagesLeft > 0);
                    case LEFT -> false;
                };
        if (!expected) {
            throw unexpected(type.toString());
        }
    }

    private WireException unexpected(String what) {
        return new WireException(CloseReason.NOT_EXPECTED, what + " while the line is " + stage);
    }

    /**
     * The relay has admitted the rank to a job.
     *
     * @param keptBytesMax most bytes of written frames that are kept, if the job is logged
     * @param homeOf for each rank of the job, the index of its home
     */
    public void admitted(boolean logged, long keptBytesMax, int[] homeOf) {
        replaceable = logged;
        awaits = logged;
        resendBuffer = logged ? new ResendBuffer(keptBytesMax, homeOf) : null;
    }

    /** Handles WELCOME, which announces this number of pages of STATE. */
    public void welcomed(int pages) {
        pagesLeft = pages;
        informed();
    }

    /** Handles one page of STATE. */
    public void informed(StatePage page) throws WireException {
        if (page.left() != --pagesLeft) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME, "STATE with " + page.left() + " pages left, expected " + pagesLeft);
        }
        informed();
    }

    /** Handles PROMOTED, which announces this number of pages of STATE. */
    public void promoted(int pages) {
        pagesLeft = pages;
        stage = stage == Stage.OPEN && pages > 0 ? Stage.INFORMED : stage;
    }

    /** The process connects as this from here on. */
    public void identify(Hello hello) {
        relayDialer.identify(hello);
    }

    private void informed() {
        if (stage == Stage.BROKEN) {
            return; // Pages behind PROMOTED, of which the rest may be lost.
        }
        stage = pagesLeft > 0 ? Stage.INFORMED : Stage.OPEN;
        moves = false;
        if (stage == Stage.OPEN) {
            replaceable = resendBuffer != null;
            relayDialer.arrived();
        }
    }

    /** Marks the end of the connection as expected: the relay has sent its last frame. */
    void over() {
        replaceable = false;
    }

    // ---- kept frames; in a logged job

    /** The kept frames; null if the job is not logged. */
    public ResendBuffer kept() {
        return resendBuffer;
    }

    /** Handles an ACK. */
    public void acknowledged(FrameView ack) throws WireException {
        if (resendBuffer == null) {
            throw unexpected("ACK in a job that is not logged");
        }
        resendBuffer.acknowledged(ack);
        asked &= resendBuffer.isFull();
    }

    /**
     * Whether so much is kept that an ACK is to be requested. True once, until an ACK has made room or the connection
     * is replaced.
     */
    public boolean wantsRoom() {
        boolean wants = !asked && !catchesUp && stage == Stage.OPEN && resendBuffer != null && resendBuffer.isFull();
        asked |= wants;
        return wants;
    }

    // ---- the move

    /** Answers MOVE. The answer is the last frame of this connection. */
    public void leave(long job) throws WireException, IOException {
        if (stage == Stage.BROKEN) {
            return;
        }
        if (stage != Stage.OPEN) {
            throw unexpected("MOVE");
        }
        int bytes = FrameType.MOVE.bytesMin();
        begin(bytes).begin(FrameType.MOVE, bytes, job);
        end(bytes);
        flush();
        stage = stage == Stage.OPEN ? Stage.LEAVING : stage;
    }

    /** Handles CLOSE(MOVED). */
    public void left() throws WireException {
        if (stage == Stage.BROKEN) {
            return;
        }
        if (stage != Stage.LEAVING) {
            throw unexpected("CLOSE(MOVED)");
        }
        stage = Stage.LEFT;
    }

    /** Whether the next connection is due: {@link #dial}, then {@link #greet}. */
    boolean hasLeft() {
        return stage == Stage.LEFT;
    }

    /**
     * Ends this connection and makes the next, as the relay has asked. It retries while the relay refuses.
     *
     * @return null if there is no connection within that time and the rank may reconnect later: the relay has died
     */
    public FrameChannel dial(long refusedMsMax) throws IOException {
        line.close();
        try {
            return relayDialer.move(refusedMsMax);
        } catch (IOException e) {
            end(e);
            return null;
        }
    }

    // ---- the break

    /** Handles a broken connection: nothing is sent any more, but bytes may be left to read. */
    private void broken(IOException why) throws IOException {
        if (!replaceable) {
            throw why;
        }
        stage = Stage.BROKEN;
        line.endInput();
    }

    /** Marks the connection as one that can be read no further. */
    private void end(IOException why) throws IOException {
        if (!replaceable) {
            throw why;
        }
        ended = stage == Stage.GREETING ? new IOException("the relay at " + remote() + " has not answered this rank: " + why.getMessage(), why) : why;
    }

    /**
     * Whether the relay that sent CLOSE may admit the rank soon, so that the rank waits. That holds if it did not get
     * HELLO in time, on a busy host; if it is about to restart, possibly at the place of another relay; if it has not
     * read its log yet; or if it has restarted since it asked the rank to move, and does not know of that. It also
     * holds if the closing process was not authenticated as the relay.
     */
    public boolean isRefusedForNow(CloseNotice why) {
        boolean starts = why.reason() == CloseReason.RELAY_STARTING;
        boolean away = starts || moves || why.reason() == CloseReason.UNKNOWN_JOB || why.reason() == CloseReason.RELAY_STOPPING
                || why.reason() == CloseReason.WRONG_RANK;
        boolean back = why.reason() == CloseReason.TIMEOUT || awaits && (away || line.isOver());
        if (!back || stage != Stage.GREETING && stage != Stage.BROKEN) {
            return false;
        }
        if (starts) {
            relayDialer.early();
        }
        stage = Stage.BROKEN;
        ended = new IOException("the relay at " + remote() + " has refused this rank: " + why.words());
        return true;
    }

    /** The relay closes the connection, and expects the process on another one. */
    public void dialAgain(CloseNotice why) {
        stage = Stage.BROKEN;
        ended = new IOException("the relay at " + remote() + " has closed the connection: " + why.words());
    }

    /** Whether the connection is to be replaced: {@link #redial}, then {@link #greet}. */
    public boolean hasEnded() {
        return ended != null && replaceable && stage != Stage.LEFT;
    }

    /** Blocks new frames until the next connection is open. */
    void giveUp() {
        stage = Stage.BROKEN;
    }

    /** Ends this broken connection, and makes another. */
    public FrameChannel redial() throws IOException {
        line.close();
        return relayDialer.again(ended, awaits);
    }

    /** Continues over a dialled connection, and sends HELLO with all that the rank remembers. */
    public void greet(FrameChannel next, Hello hello, List<StatePage.Entry> state) throws IOException {
        line = next;
        ended = null;
        asked = false;
        stage = Stage.GREETING;
        replaceable = true;
        moves = hello.start() == Hello.MOVED;
        say(hello.encode(), StatePage.encode(hello.job(), state));
    }

    /** Sends HELLO and its pages. If that fails, the relay may have sent its reason before. */
    private void say(ByteBuffer hello, List<ByteBuffer> pages) throws IOException {
        if (line.isOver()) {
            return;
        }
        try {
            line.write(hello);
            for (ByteBuffer page : pages) {
                line.write(page);
            }
        } catch (IOException e) {
            if (!line.hasRead()) {
                end(e);
                broken(e);
            }
        }
    }

    /** Sends the kept frames again, before any other frame, as the judge decides. */
    public void repeat(ResendBuffer.Judge judge) throws WireException, IOException {
        resendBuffer.repeat(judge, this::copy);
        send(ByteBuffer.allocate(0));
    }

    /** Writes a frame through the connection's own buffer, which is sent before anything else. */
    private void copy(ByteBuffer frame) throws IOException {
        if (stage == Stage.BROKEN) {
            return;
        }
        try {
            line.begin(frame.remaining());
            line.payload(0, frame.remaining()).put(frame.duplicate());
            line.end(frame.remaining());
        } catch (IOException e) {
            broken(e);
        }
    }
}
