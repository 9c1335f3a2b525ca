package org.posthouse.mpj.determinant;

import org.posthouse.mpj.channel.Platform;
import org.posthouse.mpj.progress.ProgressEngine;
import org.posthouse.wire.ReplayLimit;

/**
 * Counts overlapping calls of the program's threads, in logged jobs only. A replay is not guaranteed from where a call
 * began before another one's end. Threads of the library that run collectives do not count. Calls have the endpoint's
 * lock, which guards the state.
 */
public final class ThreadUseGuard {
    private final Platform machine;
    private final ProgressEngine progressEngine;
    private final DeterminantLog determinantLog;
    private int inside;
    private long overlaps;

    /** No call has begun. */
    public ThreadUseGuard(Platform machine, ProgressEngine progressEngine, DeterminantLog determinantLog) {
        this.machine = machine;
        this.progressEngine = progressEngine;
        this.determinantLog = determinantLog;
    }

    /** Begins a call, with the lock. Returns {@link #overlaps} before it. */
    public long enter() {
        progressEngine.lock();
        long before = overlaps;
        if (areCounted() && inside++ > 0) {
            overlaps++;
            determinantLog.limit(ReplayLimit.THREADS);
        }
        return before;
    }

    /** Ends a call, and releases the lock. */
    public void leave() {
        if (areCounted()) {
            inside--;
        }
        progressEngine.unlock();
    }

    private boolean areCounted() {
        return determinantLog.isLogged() && !machine.isCollective();
    }

    /** Calls so far that began before another one was over. */
    public long overlaps() {
        return overlaps;
    }
}
