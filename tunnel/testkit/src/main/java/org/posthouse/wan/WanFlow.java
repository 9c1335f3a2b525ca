package org.posthouse.wan;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;

/**
 * One direction of one connection. Confined to the emulator's thread.
 *
 * <p>Bytes are in one of three places: read and not left yet (at most {@link #UNSENT_MAX} pieces, then the sender's socket is
 * not read), on their way, or arrived and not taken by the receiver's socket. What was not taken holds the next ones back, as a
 * closed receive window does: at most {@link #STUCK_BYTES_MAX}. What is on its way is bandwidth times delay, or {@link #ON_WAY_BYTES_MAX}.
 *
 * <p>A whole piece that is there as soon as a full flow has room for it counts as read when the room came, and not when the thread did: the sender was
 * held back, and a link that is full stays so though the thread is late, as long as the kernel has pieces.
 */
final class WanFlow {
    private static final int UNSENT_MAX = 4;
    private static final long STUCK_BYTES_MAX = 256 * 1024;
    private static final long ON_WAY_BYTES_MAX = 128L * 1024 * 1024;

    private record Arrival(WanPiece piece, long atNanos) {}

    private final WanEmulator emulator;
    private final WanDirection direction;
    private final WanConnection connection;
    private final SocketChannel from;
    private final SocketChannel to;
    private final ArrayDeque<WanPiece> unsent = new ArrayDeque<>();
    private final ArrayDeque<Arrival> onWay = new ArrayDeque<>();
    private boolean inLine;
    private boolean ended;
    private boolean reading;
    private boolean stuck;

    /** Whether it keeps out of the line, because of what is stuck or on its way. */
    private boolean held;

    /** Until when it did so last: no piece counts as read before then. */
    private long heldUntilNanos;

    private long lastArrivalNanos;
    private long onWayBytes;

    WanFlow(WanEmulator emulator, WanDirection direction, WanConnection connection, SocketChannel from, SocketChannel to) {
        this.emulator = emulator;
        this.direction = direction;
        this.connection = connection;
        this.from = from;
        this.to = to;
        this.lastArrivalNanos = System.nanoTime();
        this.heldUntilNanos = lastArrivalNanos;
    }

    void start() {
        reading = true;
        interest();
    }

    /** The connection is over: nothing leaves any more. */
    void end() {
        ended = true;
        direction.leave(this);
    }

    // ---- reading

    /** The sender's socket has something. */
    void read() throws IOException {
        boolean more = true;
        while (more && reading && !ended && unsent.size() < UNSENT_MAX) {
            more = take(System.nanoTime());
        }
        interest();
    }

    /** Reads what there is of a piece, which counts as read then if it is a whole one. @return whether it is, and there may be more */
    private boolean take(long wholeReadAtNanos) throws IOException {
        ByteBuffer piece = emulator.borrow(direction.shape().pieceBytes());
        int bytes = from.read(piece);
        while (bytes > 0 && piece.hasRemaining()) {
            bytes = from.read(piece);
        }
        boolean isWhole = !piece.hasRemaining();
        if (piece.position() > 0) {
            add(new WanPiece(piece.flip(), piece.limit(), isWhole ? wholeReadAtNanos : System.nanoTime()));
            connection.count(piece.limit());
        } else {
            emulator.giveBack(piece);
        }
        if (bytes < 0) {
            reading = false;
            add(WanPiece.end(System.nanoTime()));
        }
        return isWhole;
    }

    private void add(WanPiece piece) {
        unsent.add(piece);
        standInLine();
    }

    private void standInLine() {
        if (inLine || ended || unsent.isEmpty()) {
            return;
        }
        boolean wasHeld = held;
        held = onWayBytes >= limitBytes();
        if (!held) {
            heldUntilNanos = wasHeld ? System.nanoTime() : heldUntilNanos;
            inLine = true;
            direction.enter(this);
        }
    }

    private long limitBytes() {
        return stuck ? STUCK_BYTES_MAX : ON_WAY_BYTES_MAX;
    }

    private void interest() {
        boolean wants = reading && !ended && unsent.size() < UNSENT_MAX;
        connection.interest(from, SelectionKey.OP_READ, wants);
    }

    // ---- leaving

    /** The piece whose turn it is. */
    WanPiece next() {
        inLine = false;
        return unsent.remove().notBefore(heldUntilNanos);
    }

    /** It has left, and arrives then; never before one that left earlier. */
    void left(WanPiece piece, long leftAtNanos, long arrivesAtNanos) {
        lastArrivalNanos += Math.max(0, arrivesAtNanos - lastArrivalNanos);
        onWay.add(new Arrival(piece, lastArrivalNanos));
        onWayBytes += piece.bytes();
        if (onWay.size() == 1) {
            emulator.at(lastArrivalNanos, this::arrive);
        }
        boolean wasFull = reading && !ended && unsent.size() == UNSENT_MAX - 1;
        if (wasFull && direction.shape().bytesPerSecond() > 0) {
            takeWhatWaited(leftAtNanos);
        }
        standInLine();
        interest();
    }

    private void takeWhatWaited(long roomAtNanos) {
        try {
            take(roomAtNanos);
        } catch (IOException e) {
            connection.broken();
        }
    }

    // ---- arriving

    private void arrive() {
        try {
            write();
        } catch (IOException e) {
            connection.broken();
        }
    }

    /** Hands over what has arrived, as far as the receiver's socket takes it. */
    void write() throws IOException {
        long now = System.nanoTime();
        while (!ended && !onWay.isEmpty() && onWay.peek().atNanos - now <= 0) {
            WanPiece piece = onWay.peek().piece;
            if (piece.isEnd()) {
                to.shutdownOutput();
            } else {
                to.write(piece.content());
                if (piece.content().hasRemaining()) {
                    stuck(true);
                    return;
                }
                emulator.giveBack(piece.content());
            }
            onWay.remove();
            onWayBytes -= piece.bytes();
            if (piece.isEnd()) {
                connection.halfEnded();
            }
        }
        stuck(false);
        if (!ended && !onWay.isEmpty()) {
            emulator.at(onWay.peek().atNanos, this::arrive);
        }
        standInLine();
    }

    private void stuck(boolean isStuck) {
        stuck = isStuck;
        if (!ended) {
            connection.interest(to, SelectionKey.OP_WRITE, isStuck);
        }
    }
}
