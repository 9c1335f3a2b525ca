package org.posthouse.mpj;

import java.io.IOException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.posthouse.wire.WireException;

/**
 * How a rank's threads wait for its relay: of those that wait, one reads the socket for all of them, without the lock while it
 * blocks. Its lock guards all that the endpoint has; every method but {@link #lock} is called with it.
 */
final class ProgressEngine {
    /** Whose frames these are. */
    interface Owner extends FrameChannel.Handler {
        /** All frames that were there are handled, and what they led to has left. */
        void caughtUp() throws IOException;

        /** The relay asked for this connection, and the last one has ended. */
        void moveTo(FrameChannel next) throws IOException;

        /** The last connection has broken, and this is the next. */
        void comeAgain(FrameChannel next) throws IOException;

        /** Nothing may be begun, for want of room. */
        void askForRoom() throws IOException;
    }

    private final RelayConnection line;
    private final Owner owner;
    private final int rank;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean reading;

    /** Whether the thread that reads waits for an errand too, whose end is no frame. */
    private boolean readsAtErrand;

    private int waiting;

    /** Whether the last {@link #poll} has found frames: there may be more. */
    private boolean found;

    private boolean over;

    ProgressEngine(RelayConnection line, int rank, Owner owner) {
        this.line = line;
        this.rank = rank;
        this.owner = owner;
    }

    void lock() {
        lock.lock();
    }

    /** Whether the caller has the lock. */
    boolean isLocked() {
        return lock.isHeldByCurrentThread();
    }

    void unlock() {
        lock.unlock();
    }

    /** The relay has said goodbye: nothing is waited for any more. */
    void end() {
        assert isLocked();
        over = true;
        line.over();
    }

    boolean isOver() {
        assert isLocked();
        return over;
    }

    void requireOpen() {
        assert isLocked();
        if (over) {
            throw new FinalizedException(rank);
        }
    }

    /**
     * Waits until frames may be written: what is begun then, with the lock, is written before the next move, and is not lost in a
     * break.
     */
    void awaitLine() throws IOException {
        assert isLocked();
        requireOpen();
        while (!line.hasRoom()) {
            owner.askForRoom();
            await();
            requireOpen();
        }
    }

    /** Handles what frames there are, unless another thread is about to. */
    void poll() throws IOException {
        assert isLocked();
        found = !reading && line.readable();
        if (found) {
            readFrames(false);
        }
    }

    /** Whether the last {@link #poll} has found frames, so that another one may, too. */
    boolean hasFound() {
        assert isLocked();
        return found;
    }

    /** Waits for the next frames. */
    void await() throws IOException {
        await(true, false);
    }

    /**
     * Waits for the next frames: reads them, or lets the thread that is reading do it.
     *
     * @param frame whether a frame ends what is waited for. If not, the reading is left to the errand's own thread, which
     *     is sooner at what has come when it need not be told
     * @param errand whether the end of an errand does
     */
    void await(boolean frame, boolean errand) throws IOException {
        assert isLocked();
        requireOpen();
        if (!reading && frame) {
            readFrames(errand);
            return;
        }
        waiting++;
        try {
            changed.awaitUninterruptibly();
        } finally {
            waiting--;
        }
    }

    /** Ends an errand, and wakes who waits for it. */
    void end(BackgroundOperation errand) {
        assert isLocked();
        errand.done();
        changed.signalAll();
        if (reading && readsAtErrand) {
            line.wake();
        }
    }

    private void readFrames(boolean errand) throws IOException {
        line.flush();
        beginReading(errand);
        try {
            line.read(errand);
        } finally {
            endReading();
        }
        try {
            line.dispatch(owner);
            line.flush();
        } catch (WireException e) {
            throw new IOException("the relay at " + line.remote() + " sent a bad frame: " + e.getMessage(), e);
        }
        owner.caughtUp();
        if (line.hasLeft()) {
            move();
        } else if (line.hasEnded()) {
            comeAgain();
        }
    }

    /** From here to {@link #endReading} this thread is without the lock, and the one that reads. */
    private void beginReading(boolean errand) {
        reading = true;
        readsAtErrand = errand;
        lock.unlock();
    }

    private void endReading() {
        lock.lock();
        reading = false;
        if (waiting > 0) {
            changed.signalAll();
        }
    }

    /** Connects to the relay again. The other threads wait, as while this one reads. */
    private void move() throws IOException {
        FrameChannel next;
        beginReading(false);
        try {
            next = line.dial(RelayDialer.MOVE_MS_MAX);
        } finally {
            endReading();
        }
        if (next == null) {
            comeAgain();
        } else {
            owner.moveTo(next);
        }
    }

    /** Connects to the relay again, since the connection has broken. As {@link #move}. */
    private void comeAgain() throws IOException {
        FrameChannel next;
        line.giveUp();
        beginReading(false);
        try {
            next = line.redial();
        } finally {
            endReading();
        }
        owner.comeAgain(next);
    }
}
