package org.posthouse.mpj;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.posthouse.mpj.determinant.ThreadUseGuard;
import org.posthouse.mpj.progress.FinalizedException;
import org.posthouse.wire.ReplayLimit;

/**
 * The program's order over the endpoints of a process that has joined joint jobs which are logged: that of its own job, and one for
 * each joint job. Each endpoint has a history of its own. A call in another endpoint than the last one first waits until all that was
 * observed there is in the log. So the logs have a prefix of what the program has observed, and each history replays alone
 * (docs/recovery.md, joint jobs).
 *
 * <p>It also holds up the threads that read the connections while the process replays: the history is read as the program needs it.
 * Thread-safe; its lock is taken last.
 */
final class ObservationOrder {
    /** One of the endpoints. */
    interface History {
        /** Waits until all that the program has observed here is in the log. */
        void awaitReported();

        /** Whether the relay may still send what an earlier process of the rank has had. */
        boolean isCatchingUp();

        /** As {@link Endpoint#limit}, wherever the program's last call was. */
        void limitHere(ReplayLimit reason);
    }

    private final History own;

    /** Calls of the program that have begun and are not over. */
    private final AtomicInteger inside = new AtomicInteger();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Where the program's last call was. Written and read by the threads of the program. */
    private volatile History last;

    /** Whether all histories are read to their ends. Guarded by the lock. */
    private boolean isOpen;

    /** Number of calls in another endpoint than the one before. Guarded by the lock. */
    private long changes;

    /** @param own the process's end in its own job, where the program's last call was */
    ObservationOrder(History own) {
        this.own = own;
        this.last = own;
    }

    /** The program's calls in one of the endpoints. */
    ThreadUseGuard.Turn turn(History endpoint) {
        return new ThreadUseGuard.Turn() {
            @Override
            public void begin() {
                enter(endpoint);
            }

            @Override
            public void end() {
                inside.decrementAndGet();
            }
        };
    }

    private void enter(History next) {
        if (inside.getAndIncrement() > 0) {
            own.limitHere(ReplayLimit.THREADS);
        }
        History before = last;
        if (before != next) {
            try {
                awaitReported(before);
            } catch (RuntimeException e) {
                inside.decrementAndGet();
                throw e;
            }
            last = next;
            change(false);
        }
    }

    /** A joint job that ends meanwhile needs no report: no process of the rank can be told again what was observed there. */
    static void awaitReported(History history) {
        try {
            history.awaitReported();
        } catch (FinalizedException e) {
            if (!e.isJointEnded()) {
                throw e;
            }
        }
    }

    /**
     * The program asks, in vain, or is about to wait for what no process of its rank has had: so none has gone on from there, and what the other histories
     * still have was observed by none. Called at each such poll.
     */
    void blocked() {
        change(true);
    }

    private void change(boolean opens) {
        lock.lock();
        try {
            if (isOpen) {
                return; // Nobody waits for a change any more.
            }
            isOpen = opens;
            changes++;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the program has observed what the endpoint's history has, or waits itself for something new. Called without its lock. */
    void awaitReplayed(History endpoint) {
        long seen;
        do {
            lock.lock();
            try {
                seen = changes;
                if (isOpen) {
                    return;
                }
            } finally {
                lock.unlock();
            }
        } while (endpoint.isCatchingUp() && awaitChange(seen));
    }

    private boolean awaitChange(long seen) {
        lock.lock();
        try {
            while (changes == seen) {
                changed.awaitUninterruptibly();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }
}
