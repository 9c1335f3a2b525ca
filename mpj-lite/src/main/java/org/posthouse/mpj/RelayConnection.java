package org.posthouse.mpj;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.WireException;

/**
 * A rank's line to its home relay: one connection after the other, since a relay may ask a rank to connect again
 * (docs/wire.md, moving a connection), and since in a job that is logged a connection that has broken is replaced (coming
 * again). Nothing can be begun from the rank's MOVE or the break on until the relay has welcomed it on the next connection. Guarded by
 * its endpoint's lock, but for {@link #read}, {@link #dial} and {@link #redial}: the one thread that reads calls them without it, and no
 * other replaces the connection.
 *
 * <p>A fault of a connection that can be replaced is no fault of who writes: what is being written is kept, or follows from what
 * the rank has under way, and goes out again; the thread that reads learns of it when it has read what there is.
 */
final class RelayConnection {
    /** How far the line is. */
    private enum Stage {
        /** HELLO was said; the next frame is WELCOME. */
        GREETING,
        /** WELCOME has come; pages of STATE belong to it, and come next. */
        INFORMED,
        OPEN,
        /** The rank's last frame was said; the relay's last ones come. */
        LEAVING,
        /** The relay's last frame has come; the next connection is due. */
        LEFT,
        /** Nothing gets to the relay any more; what has come from it is still read. */
        BROKEN
    }

    /** A payload from which on a second piece of memory in a system call costs less than a copy. */
    private static final int IN_PLACE_BYTES_MIN = 16 * 1024;

    private final RelayDialer relayDialer;
    private FrameChannel line;
    private Stage stage = Stage.GREETING;

    /** Pages of STATE that are to come. */
    private int pagesLeft;

    /** What was written, if the job is logged; else null. */
    private ResendBuffer resendBuffer;

    /** Whether a connection that breaks is replaced: before the relay has welcomed the rank on it, and in a job that is logged. */
    private boolean replaceable = true;

    /** Whether a relay that is away, or does not know the rank, is waited for: the job is logged, as far as is known. */
    private boolean awaits;

    /** Why nothing more can be read from this connection; null if it can. Of the thread that reads. */
    private IOException ended;

    private boolean catchesUp;

    /** HELLO was said as the relay has asked, and not answered. */
    private boolean moves;

    /** An ACK was asked for, for want of room, and none has come. */
    private boolean asked;

    private RelayConnection(RelayDialer relayDialer, FrameChannel line, boolean awaits) {
        this.relayDialer = relayDialer;
        this.line = line;
        this.awaits = awaits;
    }

    /**
     * Connects, proves who it is and says HELLO. A process that is started in the place of another tries as long as one whose connection broke: a relay that
     * comes back may have cost both.
     *
     * @param awaits whether the first process of a rank tries as long, too: its relay comes back with the job
     * @throws IOException naming the relay
     */
    static RelayConnection connect(Platform machine, String relay, Credentials credentials, Settings settings, Hello hello, boolean awaits) throws IOException {
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
    String remote() {
        return line.remote();
    }

    // ---- frames, as FrameChannel has them

    FrameView begin(int bytes) throws IOException {
        requireWritable();
        if (resendBuffer == null) {
            return line.begin(bytes);
        }
        if (!resendBuffer.fits(bytes)) {
            flush();
        }
        return resendBuffer.begin(bytes);
    }

    /** Ends the frame that was begun, with these of the message's bytes. Long ones leave at once, from where they are, if they may. */
    void end(int headerBytes, Content content, long from, int bytes) throws IOException {
        ByteBuffer inPlace = resendBuffer == null && bytes >= IN_PLACE_BYTES_MIN ? content.inPlace(from, bytes) : null;
        if (inPlace == null) {
            content.write(from, payload(headerBytes, bytes));
            end(headerBytes + bytes);
        } else {
            line.end(headerBytes, inPlace);
        }
    }

    ByteBuffer payload(int headerBytes, int payloadBytes) {
        return resendBuffer == null ? line.payload(headerBytes, payloadBytes) : resendBuffer.payload(headerBytes, payloadBytes);
    }

    void end(int bytes) {
        if (resendBuffer == null) {
            line.end(bytes);
        } else {
            resendBuffer.end(bytes);
        }
    }

    void write(ByteBuffer frame) throws IOException {
        requireWritable();
        flush();
        send(frame);
    }

    void flush() throws IOException {
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

    void close() throws IOException {
        line.close();
    }

    // ---- stages

    /** Whether the relay hears what is written. */
    boolean isOpen() {
        return stage == Stage.OPEN;
    }

    /** Whether no other connection will take the place of this one if it breaks. */
    boolean isOnly() {
        return stage == Stage.OPEN && resendBuffer == null;
    }

    /** Whether new frames may be begun: the line is open, nothing is caught up with, and not too much is kept. */
    boolean hasRoom() {
        return stage == Stage.OPEN && (resendBuffer == null || !catchesUp && !resendBuffer.isFull());
    }

    /** Whether the relay tells what was lost in a break: until then nothing new is said. */
    void catchUp(boolean catchesUp) {
        this.catchesUp = catchesUp;
    }

    /** A break since the line was found open changes nothing for what is begun then. */
    private void requireWritable() {
        if (stage != Stage.OPEN && stage != Stage.BROKEN) {
            throw new IllegalStateException("a frame is written while the line to " + remote() + " is " + stage);
        }
    }

    /** A frame of this type has come. @throws WireException if the relay may not send it now */
    void expect(FrameType type) throws WireException {
        boolean ending = type == FrameType.CLOSE || type == FrameType.ABORT;
        boolean expected =
                switch (stage) {
                    case GREETING -> type == FrameType.WELCOME || ending;
                    case INFORMED -> type == FrameType.STATE || ending;
                    case OPEN, LEAVING, BROKEN -> type != FrameType.WELCOME && type != FrameType.STATE;
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
     * @param keptBytesMax how much is kept of what is written, if the job is logged
     * @param homeOf for each rank of the job, the index of its home
     */
    void admitted(boolean logged, long keptBytesMax, int[] homeOf) {
        replaceable = logged;
        awaits = logged;
        resendBuffer = logged ? new ResendBuffer(keptBytesMax, homeOf) : null;
    }

    /** The relay has said WELCOME, and announced so many pages of STATE. */
    void welcomed(int pages) {
        pagesLeft = pages;
        informed();
    }

    /** One of them has come. */
    void informed(StatePage page) throws WireException {
        if (page.left() != --pagesLeft) {
            throw new WireException(
                    CloseReason.MALFORMED_FRAME, "STATE with " + page.left() + " pages left, expected " + pagesLeft);
        }
        informed();
    }

    private void informed() {
        stage = pagesLeft > 0 ? Stage.INFORMED : Stage.OPEN;
        moves = false;
        if (stage == Stage.OPEN) {
            replaceable = resendBuffer != null;
            relayDialer.arrived();
        }
    }

    /** The relay has said goodbye: it is no fault any more that the connection ends. */
    void over() {
        replaceable = false;
    }

    // ---- what is kept; in a job that is logged

    /** Null in any other. */
    ResendBuffer kept() {
        return resendBuffer;
    }

    /** The relay has said ACK. */
    void acknowledged(FrameView ack) throws WireException {
        if (resendBuffer == null) {
            throw unexpected("ACK in a job that is not logged");
        }
        resendBuffer.acknowledged(ack);
        asked &= resendBuffer.isFull();
    }

    /** Whether so much is kept that an ACK is to be asked for. True once, until an ACK has made room or the next connection. */
    boolean wantsRoom() {
        boolean wants = !asked && !catchesUp && stage == Stage.OPEN && resendBuffer != null && resendBuffer.isFull();
        asked |= wants;
        return wants;
    }

    // ---- the move

    /** The relay has said MOVE: answers it, as the last frame of this connection. */
    void leave(long job) throws WireException, IOException {
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

    /** The relay has said CLOSE(MOVED). */
    void left() throws WireException {
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
     * Ends this connection and makes the next, as the relay has asked; as long as it refuses, again and again.
     *
     * @return null if there is none for so long, and the rank may come again later: the relay has died
     */
    FrameChannel dial(long refusedMsMax) throws IOException {
        line.close();
        try {
            return relayDialer.move(refusedMsMax);
        } catch (IOException e) {
            end(e);
            return null;
        }
    }

    // ---- the break

    /** What is written gets nowhere: there may be something left to read. */
    private void broken(IOException why) throws IOException {
        if (!replaceable) {
            throw why;
        }
        stage = Stage.BROKEN;
        line.endInput();
    }

    /** Nothing more can be read. */
    private void end(IOException why) throws IOException {
        if (!replaceable) {
            throw why;
        }
        ended = stage == Stage.GREETING ? new IOException("the relay at " + remote() + " has not answered this rank: " + why.getMessage(), why) : why;
    }

    /**
     * The relay has said CLOSE: whether it may take the rank soon, and the rank waits for that. It has not heard HELLO in time, on a host that is
     * busy; it is about to come back, maybe where another one is now; it has not read its log yet; or it has died since it asked the rank to move, and knows nothing of that.
     * Or who says it has not proven to be the relay.
     */
    boolean isRefusedForNow(CloseNotice why) {
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
        ended = new IOException("the relay at " + remote() + " has refused this rank: " + why.reason() + ": " + why.text());
        return true;
    }

    /** Whether the connection is to be replaced: {@link #redial}, then {@link #greet}. */
    boolean hasEnded() {
        return ended != null && replaceable && stage != Stage.LEFT;
    }

    /** From here on nothing is begun before the next connection is open. */
    void giveUp() {
        stage = Stage.BROKEN;
    }

    /** Ends this connection, which has broken, and makes another. */
    FrameChannel redial() throws IOException {
        line.close();
        return relayDialer.again(ended, awaits);
    }

    /** Goes on over a connection that was dialled, and says HELLO there, with all that the rank remembers. */
    void greet(FrameChannel next, Hello hello, List<StatePage.Entry> state) throws IOException {
        line = next;
        ended = null;
        asked = false;
        stage = Stage.GREETING;
        replaceable = true;
        moves = hello.start() == Hello.MOVED;
        say(hello.encode(), StatePage.encode(hello.job(), state));
    }

    /** A relay that hears no more may have said why. */
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

    /** What was kept is said again, before anything else, as the judge decides. */
    void repeat(ResendBuffer.Judge judge) throws WireException, IOException {
        resendBuffer.repeat(judge, this::copy);
        send(ByteBuffer.allocate(0));
    }

    /** Through the connection's own buffer, which leaves before anything else. */
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
