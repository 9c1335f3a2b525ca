package org.posthouse.mpj;

import org.posthouse.wire.Limit;

/**
 * The program's threads that are inside a call of their endpoint, counted in logged jobs only: no replay is promised from where
 * a call began before another one's was over. The threads of collectives that the program has started are not its own. Calls have
 * the endpoint's lock, which guards the state.
 */
final class Callers {
    private final Machine machine;
    private final Progress progress;
    private final History history;
    private int inside;
    private long overlaps;

    Callers(Machine machine, Progress progress, History history) {
        this.machine = machine;
        this.progress = progress;
        this.history = history;
    }

    /** A call begins, with the lock. Returns {@link #overlaps} before it. */
    long enter() {
        progress.lock();
        long before = overlaps;
        if (areCounted() && inside++ > 0) {
            overlaps++;
            history.limit(Limit.THREADS);
        }
        return before;
    }

    void leave() {
        if (areCounted()) {
            inside--;
        }
        progress.unlock();
    }

    private boolean areCounted() {
        return history.isLogged() && !machine.isCollective();
    }

    /** Calls so far that began before another one was over. */
    long overlaps() {
        return overlaps;
    }
}
