package org.posthouse.mpj;

import org.posthouse.wire.ReplayLimit;

/**
 * Counts overlapping calls of the program's threads, in logged jobs only. A replay is not guaranteed from where a call
 * began before another one's end. Threads of the library that run collectives do not count. Calls have the endpoint's
 * lock, which guards the state.
 */
final class ThreadUseGuard {
    private final Platform machine;
    private final ProgressEngine progressEngine;
    private final DeterminantLog determinantLog;
    private int inside;
    private long overlaps;

    ThreadUseGuard(Platform machine, ProgressEngine progressEngine, DeterminantLog determinantLog) {
        this.machine = machine;
        this.progressEngine = progressEngine;
        this.determinantLog = determinantLog;
    }

    /** Begins a call, with the lock. Returns {@link #overlaps} before it. */
    long enter() {
        progressEngine.lock();
        long before = overlaps;
        if (areCounted() && inside++ > 0) {
            overlaps++;
            determinantLog.limit(ReplayLimit.THREADS);
        }
        return before;
    }

    void leave() {
        if (areCounted()) {
            inside--;
        }
        progressEngine.unlock();
    }

    private boolean areCounted() {
        return determinantLog.isLogged() && !machine.isCollective();
    }

    /** Calls so far that began before another one was over. */
    long overlaps() {
        return overlaps;
    }
}
