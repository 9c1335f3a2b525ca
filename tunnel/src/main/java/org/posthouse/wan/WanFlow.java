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
    private long lastArrivalNanos;
    private long onWayBytes;

    WanFlow(WanEmulator emulator, WanDirection direction, WanConnection connection, SocketChannel from, SocketChannel to) {
        this.emulator = emulator;
        this.direction = direction;
        this.connection = connection;
        this.from = from;
        this.to = to;
        this.lastArrivalNanos = System.nanoTime();
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
        while (reading && !ended && unsent.size() < UNSENT_MAX) {
            ByteBuffer piece = emulator.borrow(direction.shape().pieceBytes());
            int bytes = from.read(piece);
            if (bytes > 0) {
                add(new WanPiece(piece.flip(), bytes, System.nanoTime()));
                connection.count(bytes);
                continue;
            }
            emulator.giveBack(piece);
            if (bytes < 0) {
                reading = false;
                add(WanPiece.end(System.nanoTime()));
            }
            break;
        }
        interest();
    }

    private void add(WanPiece piece) {
        unsent.add(piece);
        standInLine();
    }

    private void standInLine() {
        if (!inLine && !ended && !unsent.isEmpty() && onWayBytes < limitBytes()) {
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
        return unsent.remove();
    }

    /** It has left, and arrives then; never before one that left earlier. */
    void left(WanPiece piece, long arrivesAtNanos) {
        lastArrivalNanos += Math.max(0, arrivesAtNanos - lastArrivalNanos);
        onWay.add(new Arrival(piece, lastArrivalNanos));
        onWayBytes += piece.bytes();
        if (onWay.size() == 1) {
            emulator.at(lastArrivalNanos, this::arrive);
        }
        standInLine();
        interest();
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
