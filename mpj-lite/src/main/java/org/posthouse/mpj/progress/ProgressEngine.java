package org.posthouse.mpj.progress;

import java.io.IOException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.posthouse.mpj.channel.FrameChannel;
import org.posthouse.mpj.operation.BackgroundOperation;
import org.posthouse.wire.WireException;

/**
 * Lets a rank's threads wait for its relay: one of the waiting threads reads the socket for all, without the lock while
 * it blocks. Its lock guards the endpoint's whole state; every method except {@link #lock} is called with it.
 */
public final class ProgressEngine {
    /** The receiver of the frames. */
    public interface Owner extends FrameChannel.Handler {
        /** Called when all frames that were there are handled, and the frames that follow from them are sent. */
        void caughtUp() throws IOException;

        /** Called with the connection that the relay asked for, after the last one has ended. */
        void moveTo(FrameChannel next) throws IOException;

        /** Called with the next connection, after the last one has broken. */
        void comeAgain(FrameChannel next) throws IOException;

        /** Called when no frame may begin for want of room. */
        void askForRoom() throws IOException;

        /** Called to ask the relay for an ACK, behind all that the program has asked for. */
        void askForAnswer() throws IOException;
    }

    private final RelayConnection line;
    private final Owner owner;
    private final int rank;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private boolean reading;

    /** Whether the reading thread also waits for a background operation, whose end is no frame. */
    private boolean readsAtErrand;

    private int waiting;

    /** Whether the last {@link #poll} found frames: there may be more. */
    private boolean found;

    private boolean over;

    /** Why a joint job has ended; null if it has not, or the rank has left it. */
    private String ended;

    /** Why nothing more is sent to this rank in a joint job that is logged, which stays open; null if more may be. */
    private String ending;

    /** Number of what may lead to the end of a wait: frames that came, and what the program has asked for. */
    private long moves;

    /** That number when the relay was last asked whether anything is left there; -1 before. */
    private long movesAsked = -1;

    /** Called when the program waits or asks in vain for what the rank has never had; null if nobody wants to know. */
    private Runnable onBlocked;

    /** @param owner receives the frames */
    public ProgressEngine(RelayConnection line, int rank, Owner owner) {
        this.line = line;
        this.rank = rank;
        this.owner = owner;
    }

    /** Takes the lock of the endpoint. */
    public void lock() {
        lock.lock();
    }

    /** Whether the caller has the lock. */
    public boolean isLocked() {
        return lock.isHeldByCurrentThread();
    }

    /** Releases the lock of the endpoint. */
    public void unlock() {
        lock.unlock();
    }

    /** Ends all waits: the relay has sent its last frame. */
    public void end() {
        assert isLocked();
        over = true;
        line.over();
    }

    /** Ends all waits, and fails all later calls with this reason: the rank's joint job has ended. Only the first reason counts. */
    public void end(String why) {
        assert isLocked();
        if (!over) {
            ended = why;
            end();
            changed.signalAll();
        }
    }

    /**
     * Fails waits of the program from here on with this reason, when nothing is left at the relay for them: a process of the other job will do nothing more.
     */
    public void endWaits(String why) throws IOException {
        assert isLocked();
        if (ending == null) {
            ending = why;
            askWhetherAnyIsLeft(); // Its answer wakes the thread that reads.
            changed.signalAll();
        }
    }

    private void askWhetherAnyIsLeft() throws IOException {
        movesAsked = moves;
        owner.askForAnswer();
    }

    /** Notes a frame that may lead to the end of a wait, or that the program has asked for something. */
    public void moved() {
        assert isLocked();
        moves++;
    }

    /** Sets what {@link #blocked} calls. */
    public void onBlocked(Runnable action) {
        assert isLocked();
        onBlocked = action;
    }

    /**
     * Throws a {@link FinalizedException} if no wait of the program may end any more. The relay sends what it has for the program before it answers a later
     * question. So nothing is left there if nothing but the answer has come since the question, and nothing was asked for meanwhile.
     */
    public void requireGoing() throws IOException {
        assert isLocked();
        if (ending == null || !line.hasRoom() || !line.kept().isAnswered()) {
            return;
        }
        if (movesAsked == moves) {
            throw new FinalizedException(ending);
        }
        askWhetherAnyIsLeft();
    }

    /** The program asks in vain, or is about to wait, for what no process of its rank has had. */
    public void blocked() {
        assert isLocked();
        if (onBlocked != null) {
            onBlocked.run();
        }
    }

    /** Whether the relay has sent its last frame. */
    public boolean isOver() {
        assert isLocked();
        return over;
    }

    /** Throws a {@link FinalizedException} if the relay has sent its last frame. */
    public void requireOpen() {
        assert isLocked();
        if (over) {
            throw ended == null ? new FinalizedException(rank) : new FinalizedException(ended);
        }
    }

    /**
     * Waits until frames may be written. A frame begun then, with the lock, is written before the next move, and is not
     * lost in a break.
     */
    public void awaitLine() throws IOException {
        assert isLocked();
        requireOpen();
        while (!line.hasRoom()) {
            owner.askForRoom();
            await();
            requireOpen();
        }
    }

    /** Handles the frames that are there, unless another thread is about to. */
    public void poll() throws IOException {
        assert isLocked();
        found = !reading && line.readable();
        if (found) {
            readFrames(false);
        }
    }

    /** Whether the last {@link #poll} found frames, so that another one may too. */
    public boolean hasFound() {
        assert isLocked();
        return found;
    }

    /** As {@link #await(boolean, boolean)}, in a call of the program that lasts until something has come. */
    public void awaitInCall(boolean frame, boolean errand) throws IOException {
        if (frame) {
            requireGoing(); // The thread of an errand notices the end itself, and then ends the errand.
        }
        blocked();
        await(frame, errand);
    }

    /** Waits for the next frames. */
    public void await() throws IOException {
        await(true, false);
    }

    /**
     * Waits for the next frames: reads them, or leaves that to the thread that is reading.
     *
     * @param frame whether a frame ends the wait. If not, the reading is left to the background operation's own thread,
     * which gets its result sooner if it need not be notified
     * @param errand whether the end of a background operation ends the wait
     */
    public void await(boolean frame, boolean errand) throws IOException {
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

    /** Ends a background operation, and wakes the threads that wait for it. */
    public void end(BackgroundOperation errand) {
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

    /** Makes this thread the reader, without the lock, until {@link #endReading}. */
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

    /** Reconnects to the relay. The other threads wait as while this one reads. */
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

    /** Reconnects to the relay because the connection has broken. As {@link #move}. */
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
