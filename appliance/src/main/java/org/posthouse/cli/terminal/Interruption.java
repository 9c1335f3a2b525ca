package org.posthouse.cli.terminal;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.posthouse.launch.RunningJob;
import org.posthouse.launch.job.JobFailure;

/**
 * While it is open, Ctrl-C and SIGTERM end what it guards (a job that has a folder is left), and this process leaves only after everything was
 * put away, or after a time limit, or at once at the second such signal: what is to be said of it is to be said before this is closed.
 */
public final class Interruption implements AutoCloseable {
    private static final long PUT_AWAY_SECONDS = 10;

    /**
     * A wait without a time limit before the job exists, as for a relay that reads its log. It ends when its thread is
     * interrupted.
     */
    public interface Wait<T> {
        T done() throws JobFailure;
    }

    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final CountDownLatch putAway = new CountDownLatch(1);
    private final Thread hook = new Thread(this::interrupt, "posthouse-interrupted");
    /** Added to by the command's thread, read by the hook. */
    private final List<Runnable> ends = new CopyOnWriteArrayList<>();

    /** Those of them that are jobs. The same. */
    private final List<RunningJob> jobs = new CopyOnWriteArrayList<>();

    /** The last argument of {@link #guardNext}, or null. Written by the command's thread, read by the hook. */
    private volatile RunningJob next;

    /** Written by the hook, read by any thread. */
    private volatile boolean stopped;

    /** The command's thread while it is in a {@link Wait}; else null. Guarded by this. */
    private Thread waiting;

    /** Begins to watch for the end of this process. */
    public static Interruption open() {
        Interruption interruption = new Interruption();
        Runtime.getRuntime().addShutdownHook(interruption.hook);
        return interruption;
    }

    /** Guards {@code running} beside the jobs guarded before; ending one that has ended already does nothing. */
    public void guard(RunningJob running) {
        jobs.add(running);
        guard(() -> end(running));
    }

    /** Guards {@code running} instead of the job that this was given before, which is over. */
    public void guardNext(RunningJob running) {
        next = running;
        if (stopped) {
            end(running);
        }
    }

    private static void end(RunningJob running) {
        running.leave(ExitCode.INTERRUPTED.status(), "interrupted");
        running.kill();
    }

    /** Has {@code end} called when the user interrupts, from another thread; it may find that there is nothing to end. */
    public void guard(Runnable end) {
        ends.add(end);
        if (stopped) {
            end.run();
        }
    }

    /** A future that is completed when the user interrupts: what is being started for the command is given up then. */
    public CompletableFuture<Void> cancellation() {
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        guard(() -> cancelled.complete(null));
        return cancelled;
    }

    /** Waits on the calling thread, which is interrupted there when the user interrupts. */
    public <T> T guardWait(Wait<T> wait) throws JobFailure {
        begin(Thread.currentThread());
        try {
            return wait.done();
        } finally {
            end();
        }
    }

    private synchronized void begin(Thread thread) {
        waiting = thread;
        breakOff();
    }

    /** Ends the wait: the cleanup that follows is not interrupted. */
    private synchronized void end() {
        waiting = null;
        if (stopped) {
            Thread.interrupted();
        }
    }

    private synchronized void breakOff() {
        if (stopped && waiting != null) {
            waiting.interrupt();
        }
    }

    /** Whether the process was asked to stop. */
    public boolean isStopped() {
        return stopped;
    }

    /** Blocks until the user interrupts. */
    public void await() throws InterruptedException {
        interrupted.await();
    }

    /** The hook's work. */
    void interrupt() {
        stopped = true;
        interrupted.countDown();
        breakOff();
        ends.forEach(Runnable::run);
        RunningJob present = next;
        if (present != null) {
            end(present);
        }
        Signals.endAtOnce(ExitCode.INTERRUPTED.status());
        try {
            if (!awaitPutAway()) {
                System.err.println("posthouse: interrupted, and not everything was put away in " + PUT_AWAY_SECONDS + " s");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** For so long, and as long as a slow reader takes what was printed: that is not lost. */
    private boolean awaitPutAway() throws InterruptedException {
        long taken = -1;
        for (long now = outputTaken(); now != taken; now = outputTaken()) {
            taken = now;
            if (putAway.await(PUT_AWAY_SECONDS, TimeUnit.SECONDS)) {
                return true;
            }
        }
        return false;
    }

    private long outputTaken() {
        RunningJob present = next;
        return jobs.stream().mapToLong(RunningJob::outputTaken).sum() + (present == null ? 0 : present.outputTaken());
    }

    @Override
    public void close() {
        putAway.countDown();
        removeHook(hook);
    }

    /** Removes a shutdown hook, unless the hooks are running already. */
    public static void removeHook(Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // The process is ending: the hook does its work, and there is nothing to remove it from.
            assert hook.getState() != Thread.State.NEW;
        }
    }
}
