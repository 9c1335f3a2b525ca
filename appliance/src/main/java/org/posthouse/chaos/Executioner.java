package org.posthouse.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.posthouse.launch.JobRun;

/**
 * Kills ranks of one job at set moments, and ends a job that lasts too long. It has threads of its own, which {@link #close} ends;
 * what they have done is guarded by itself. A strike that finds no process left, because the job is over, does nothing.
 */
public final class Executioner implements AutoCloseable {
    /** The status of a job that was ended because it took too long. */
    private static final int STATUS_OVERDUE = 1;

    private static final long POLL_MS = 20;

    private final JobRun run;
    private final int ranks;
    private final long startNs = System.nanoTime();
    private final List<Kill> kills = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private long connectedNs;
    private boolean overdue;

    private Executioner(JobRun run, int ranks) {
        this.run = run;
        this.ranks = ranks;
    }

    /**
     * Begins to wait for the moments.
     *
     * @param run is about to be run
     * @param ranks how many it has
     * @param secondsMax how long the job may take
     */
    public static Executioner begin(JobRun run, int ranks, List<Strike> strikes, long secondsMax) {
        Executioner executioner = new Executioner(run, ranks);
        executioner.start("connected", executioner::noteConnected);
        executioner.start("overdue", () -> executioner.endOverdue(secondsMax));
        for (Strike strike : strikes) {
            executioner.start("strike", () -> executioner.carryOut(strike));
        }
        return executioner;
    }

    /** What waits, and is interrupted when the job is over. */
    private interface Waiting {
        void run() throws InterruptedException;
    }

    /** No virtual thread: what a strike asks may read a socket, which the interrupt would break there. */
    private void start(String name, Waiting waiting) {
        threads.add(Thread.ofPlatform().daemon().name("posthouse-" + name).start(() -> {
            try {
                waiting.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
    }

    private void noteConnected() throws InterruptedException {
        run.awaitConnected();
        synchronized (this) {
            connectedNs = System.nanoTime() - startNs;
        }
    }

    private void endOverdue(long secondsMax) throws InterruptedException {
        TimeUnit.SECONDS.sleep(secondsMax);
        synchronized (this) {
            overdue = true;
        }
        run.stop(STATUS_OVERDUE, "it was not over after " + secondsMax + " s");
    }

    private void carryOut(Strike strike) throws InterruptedException {
        if (strike.fromInit()) {
            run.awaitConnected();
        }
        TimeUnit.MILLISECONDS.sleep(strike.afterMs());
        while (!strike.isDue().getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        }
        for (int i = 0; i < ranks; i++) {
            int rank = (strike.rank() + i) % ranks;
            int incarnation = run.strike(rank);
            if (incarnation > 0) {
                note(new Kill(rank, incarnation, System.nanoTime() - startNs));
                return;
            }
        }
    }

    private synchronized void note(Kill kill) {
        kills.add(kill);
    }

    /** What was killed, in order. */
    public synchronized List<Kill> kills() {
        return List.copyOf(kills);
    }

    /** How long after the job's start every rank's program had called Init. */
    synchronized long connectedNs() {
        return connectedNs;
    }

    /** Whether the job was ended because it took too long. */
    synchronized boolean isOverdue() {
        return overdue;
    }

    /** Nothing is killed any more. */
    @Override
    public void close() throws InterruptedException {
        for (Thread thread : threads) {
            thread.interrupt();
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }
}
