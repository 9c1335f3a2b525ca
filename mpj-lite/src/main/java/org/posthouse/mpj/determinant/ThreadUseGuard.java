package org.posthouse.mpj.determinant;

import org.posthouse.mpj.channel.Platform;
import org.posthouse.mpj.progress.ProgressEngine;

/**
 * Counts overlapping calls of the program's threads, in logged jobs only. A replay is not guaranteed from where a call
 * began before another one's end. Threads of the library that run collectives do not count. Calls have the endpoint's
 * lock, which guards the state.
 */
public final class ThreadUseGuard {
    private final Platform machine;
    private final ProgressEngine progressEngine;
    private final DeterminantLog determinantLog;
    private final Runnable onOverlap;
    private int inside;
    private long overlaps;

    /** Null unless the process has several endpoints. Written by the thread that joins a joint job, read by the program's threads. */
    private volatile Turn turn;

    /** The order of the program's calls over several endpoints. Called without their locks. */
    public interface Turn {
        void begin();

        void end();
    }

    /** @param onOverlap called, with the lock, when a call begins before another one's end */
    public ThreadUseGuard(Platform machine, ProgressEngine progressEngine, DeterminantLog determinantLog, Runnable onOverlap) {
        this.machine = machine;
        this.progressEngine = progressEngine;
        this.determinantLog = determinantLog;
        this.onOverlap = onOverlap;
    }

    /** Sets the order of the calls over several endpoints. */
    public void turn(Turn order) {
        turn = order;
    }

    /** Begins a call that has no lock yet. {@link #endTurn} follows. */
    public void beginTurn() {
        Turn order = turn;
        if (order != null && !machine.isCollective()) {
            order.begin();
        }
    }

    /** Ends a call that has no lock any more. */
    public void endTurn() {
        Turn order = turn;
        if (order != null && !machine.isCollective()) {
            order.end();
        }
    }

    /** Begins a call, with the lock. Returns {@link #overlaps} before it. */
    public long enter() {
        beginTurn();
        progressEngine.lock();
        long before = overlaps;
        if (areCounted() && inside++ > 0) {
            overlaps++;
            onOverlap.run();
        }
        return before;
    }

    /** Ends a call, and releases the lock. */
    public void leave() {
        if (areCounted()) {
            inside--;
        }
        progressEngine.unlock();
        endTurn();
    }

    private boolean areCounted() {
        return determinantLog.isLogged() && !machine.isCollective();
    }

    /** Calls so far that began before another one was over. */
    public long overlaps() {
        return overlaps;
    }
}
