package org.posthouse.mpj;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Reason;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.WireException;

/**
 * A rank's line to its home relay: one connection after the other, since a relay may ask a rank to connect again
 * (docs/wire.md, moving a connection). Nothing can be written from the rank's MOVE on until the relay has welcomed it on
 * the next connection. Guarded by its endpoint's lock, but for {@link #read} and {@link #dial}: the one thread that reads
 * calls them without it, and no other replaces the connection.
 */
final class HomeLine {
    /** How far a move is. */
    private enum Stage {
        /** HELLO was said; the next frame is WELCOME. */
        GREETING,
        OPEN,
        /** The rank's last frame was said; the relay's last ones come. */
        LEAVING,
        /** The relay's last frame has come; the next connection is due. */
        LEFT
    }

    /** How long a relay that has asked the rank to connect again may refuse it. */
    static final long REFUSED_MS_MAX = 10_000;

    private static final long BACK_OFF_MS = 5;
    private static final long BACK_OFF_MS_MAX = 200;

    private final int busyPollUs;
    private FrameLine line;
    private Stage stage = Stage.GREETING;

    private HomeLine(FrameLine line, int busyPollUs) {
        this.line = line;
        this.busyPollUs = busyPollUs;
    }

    /** Connects and says HELLO. @throws IOException naming the relay */
    static HomeLine connect(String relay, int busyPollUs, Hello hello) throws IOException {
        HomeLine home = new HomeLine(FrameLine.connect(relay, busyPollUs), busyPollUs);
        home.line.write(hello.encode());
        return home;
    }

    /** The relay, as host:port. */
    String remote() {
        return line.remote();
    }

    // ---- frames, as FrameLine has them

    FrameView begin(int bytes) throws IOException {
        requireOpen();
        return line.begin(bytes);
    }

    ByteBuffer payload(int headerBytes, int payloadBytes) {
        return line.payload(headerBytes, payloadBytes);
    }

    void end(int bytes) {
        line.end(bytes);
    }

    void write(ByteBuffer frame) throws IOException {
        requireOpen();
        line.write(frame);
    }

    void flush() throws IOException {
        line.flush();
    }

    boolean readable() throws IOException {
        return line.readable();
    }

    void read(boolean wakeable) throws IOException {
        line.read(wakeable);
    }

    void wake() {
        line.wake();
    }

    void dispatch(FrameLine.Handler handler) throws WireException, IOException {
        line.dispatch(handler);
    }

    void close() throws IOException {
        line.close();
    }

    // ---- the move

    /** Whether frames may be written. */
    boolean isOpen() {
        return stage == Stage.OPEN;
    }

    private void requireOpen() {
        if (stage != Stage.OPEN) {
            throw new IllegalStateException("a frame is written while the line to " + remote() + " is " + stage);
        }
    }

    /** A frame of this type has come. @throws WireException if the relay may not send it now */
    void expect(FrameType type) throws WireException {
        boolean ending = type == FrameType.CLOSE || type == FrameType.ABORT;
        boolean expected =
                switch (stage) {
                    case GREETING -> type == FrameType.WELCOME || ending;
                    case OPEN, LEAVING -> type != FrameType.WELCOME;
                    case LEFT -> false;
                };
        if (!expected) {
            throw unexpected(type.toString());
        }
    }

    private WireException unexpected(String what) {
        return new WireException(Reason.NOT_EXPECTED, what + " while the line is " + stage);
    }

    /** The relay has said WELCOME. */
    void welcomed() {
        stage = Stage.OPEN;
    }

    /** The relay has said MOVE: answers it, as the last frame of this connection. */
    void leave(long job) throws WireException, IOException {
        if (stage != Stage.OPEN) {
            throw unexpected("MOVE");
        }
        int bytes = FrameType.MOVE.bytesMin();
        line.begin(bytes).begin(FrameType.MOVE, bytes, job);
        line.end(bytes);
        line.flush();
        stage = Stage.LEAVING;
    }

    /** The relay has said CLOSE(MOVED). */
    void left() throws WireException {
        if (stage != Stage.LEAVING) {
            throw unexpected("CLOSE(MOVED)");
        }
        stage = Stage.LEFT;
    }

    /** Whether the next connection is due: {@link #dial}, then {@link #moveTo}. */
    boolean hasLeft() {
        return stage == Stage.LEFT;
    }

    /**
     * Ends this connection and makes the next; as long as the relay refuses, again and again.
     *
     * @param refusedMsMax how long it may refuse
     */
    FrameLine dial(long refusedMsMax) throws IOException {
        line.close();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(refusedMsMax);
        long backOffMs = BACK_OFF_MS;
        while (true) {
            try {
                return FrameLine.connect(remote(), busyPollUs);
            } catch (IOException e) {
                if (!(e.getCause() instanceof ConnectException)) {
                    throw e;
                }
                if (System.nanoTime() - end >= 0) {
                    throw new IOException(
                            e.getMessage() + ", for " + refusedMsMax + " ms after it asked this rank to connect again", e);
                }
            }
            pause(backOffMs);
            backOffMs = Math.min(2 * backOffMs, BACK_OFF_MS_MAX);
        }
    }

    /** Sleeps, interrupted or not. */
    private static void pause(long ms) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        boolean interrupted = false;
        for (long left = ms; left > 0; left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())) {
            try {
                TimeUnit.MILLISECONDS.sleep(left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Goes on over the connection that {@link #dial} made, and says HELLO there, with all that the rank remembers. */
    void moveTo(FrameLine next, Hello hello, List<StatePage.Entry> state) throws IOException {
        line = next;
        stage = Stage.GREETING;
        line.write(hello.encode());
        for (ByteBuffer page : StatePage.encode(hello.job(), state)) {
            line.write(page);
        }
    }
}
