package org.posthouse.relay.log;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.posthouse.logstore.LogSync;
import org.posthouse.logstore.file.LogException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Syncs the log to its disk while somebody waits for it. It runs one sync after the other on a thread of its own; each
 * covers all that was appended meanwhile. No event loop thus waits for a disk, and a sync serves more waiters under
 * more load.
 */
public final class LogSyncer implements LogSyncWaiter, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LogSyncer.class);

    /**
     * Nanoseconds after which, at the latest, a sync is recorded in the log. The record needs another sync, so there is
     * at most one more in each tenth of a second.
     */
    private static final long TELL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Nanoseconds until the next attempt when the process could not open a file. */
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Supplier<LogSync> source;
    private final Runnable onSafe;
    private final Consumer<String> onFailure;
    private final AtomicLong wanted = new AtomicLong();

    /** Written by the thread that syncs, under this object's lock; read by any. */
    private volatile long safe;

    /** Written by the closing thread, under this object's lock; read by the thread that syncs. */
    private volatile boolean closed;

    /** Why the log is no longer synced; null if it is. Written by the thread that syncs, read by any. */
    private volatile String failure;

    /** Whether the thread has ended, so that nothing becomes safe any more. Guarded by this. */
    private boolean over;

    /** Guarded by this. */
    private Thread thread;

    /**
     * @param source supplies the log's sync; called once, when it is first needed
     * @param onSafe called after each sync, on the thread that syncs
     * @param onFailure called once with the cause if the disk, or anything else that this thread needs, has failed;
     *         nothing becomes safe any more
     */
    public LogSyncer(Supplier<LogSync> source, Runnable onSafe, Consumer<String> onFailure) {
        this.source = source;
        this.onSafe = onSafe;
        this.onFailure = onFailure;
    }

    /** Requests a sync of the log up to this position. Any thread; it does not block. */
    public void want(long position) {
        long before = wanted.getAndAccumulate(position, Math::max);
        if (before >= position) {
            return;
        }
        Thread started = started();
        LockSupport.unpark(started);
    }

    private synchronized Thread started() {
        if (thread == null && !closed) {
            thread = Thread.ofPlatform().daemon().name("posthouse-log-sync").start(this::run);
        }
        return thread;
    }

    /** Why the log is no longer synced; empty if it is. Any thread. */
    public Optional<String> failure() {
        return Optional.ofNullable(failure);
    }

    @Override
    public boolean hasFailed() {
        return failure != null;
    }

    /** Position up to which the log is synced. Any thread. */
    public long safe() {
        return safe;
    }

    /**
     * Waits until the log is synced up to this position. Any thread except event loops.
     *
     * @return whether it is; false if the disk has failed, or the syncer was closed or the thread interrupted meanwhile
     */
    @Override
    public boolean await(long position) {
        want(position);
        synchronized (this) {
            while (safe < position && !closed && !over) {
                try {
                    wait();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
        }
        return safe >= position;
    }

    private void run() {
        try {
            LogSync sync = source.get();
            long tellAt = 0;
            boolean waits = false;
            while (!closed) {
                boolean told = !sync.isUntold();
                if (!told && System.nanoTime() - tellAt >= 0) {
                    sync.tell();
                    tellAt = System.nanoTime() + AGAIN_NANOS;
                } else if (wanted.get() > safe) {
                    long before = safe;
                    isSafe(sync.sync());
                    waits = waits(before, waits);
                    tellAt = told ? System.nanoTime() + TELL_NANOS : tellAt;
                    onSafe.run();
                } else if (told) {
                    LockSupport.park(this);
                } else {
                    LockSupport.parkNanos(this, tellAt - System.nanoTime());
                }
            }
            sync.tell();
        } catch (LogException e) {
            LOG.error("jobs with --durability host cannot go on: {}", e.getMessage());
            fail(e.getMessage());
        } catch (RuntimeException | Error e) {
            LOG.error("jobs with --durability host cannot go on: the log is not made safe any more", e);
            fail("the log is not made safe any more: " + e);
        } finally {
            end();
        }
    }

    /**
     * Pauses if the last sync made nothing more safe; logs this once.
     *
     * @return whether it paused
     */
    private boolean waits(long before, boolean said) {
        if (safe > before) {
            return false;
        }
        if (!said) {
            LOG.warn("the log is not made safe while the process may open no more files (ulimit -n): what waits for it waits");
        }
        LockSupport.parkNanos(this, AGAIN_NANOS);
        return true;
    }

    private void fail(String why) {
        failure = why;
        onFailure.accept(why);
    }

    private synchronized void isSafe(long position) {
        safe = position;
        notifyAll();
    }

    private synchronized void end() {
        over = true;
        notifyAll();
    }

    /** Waits for a sync that is in progress. */
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            running = thread;
            notifyAll();
        }
        LockSupport.unpark(running);
        boolean interrupted = false;
        while (running != null && running.isAlive()) {
            try {
                running.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
