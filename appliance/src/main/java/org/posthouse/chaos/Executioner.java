package org.posthouse.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.posthouse.launch.JobFailure;
import org.posthouse.launch.JobRun;
import org.posthouse.launch.RelayProcess;

/**
 * Kills ranks and relays of one job at set moments, starts the relays again, and ends a job that lasts too long. It has threads
 * of its own, which {@link #close} ends; what they have done is guarded by itself. A strike that finds no process left, because the job is over, does nothing.
 */
public final class Executioner implements AutoCloseable {
    /** The status of a job that was ended because it took too long, or a relay did not come back. */
    private static final int STATUS_OVERDUE = 1;

    private static final long POLL_MS = 20;

    private final JobRun run;
    private final int ranks;
    private final List<RelayProcess> relays;
    private final long startNs = System.nanoTime();
    private final List<Kill> kills = new ArrayList<>();
    private final List<RelayKill> relayKills = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private long connectedNs;
    private boolean overdue;

    private Executioner(JobRun run, int ranks, List<RelayProcess> relays) {
        this.run = run;
        this.ranks = ranks;
        this.relays = relays;
    }

    /**
     * Begins to wait for the moments.
     *
     * @param run is about to be run
     * @param ranks how many it has
     * @param relays those that may be killed, by their numbers in strikes
     * @param secondsMax how long the job may take
     */
    public static Executioner begin(
            JobRun run, int ranks, List<RelayProcess> relays, List<Strike> strikes, long secondsMax) {
        Executioner executioner = new Executioner(run, ranks, relays);
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
        if (strike.isOfRelay()) {
            strikeRelay(relays.get(strike.victim()));
        } else {
            strikeRank(strike.victim());
        }
    }

    private void strikeRelay(RelayProcess relay) {
        long atNs = System.nanoTime() - startNs;
        try {
            long servesNs = relay.strike();
            if (servesNs >= 0) {
                note(new RelayKill(relay.ready().relay(), atNs, servesNs));
            }
        } catch (JobFailure e) {
            run.stop(STATUS_OVERDUE, "relay " + relay.ready().relay() + " was killed and cannot be started again: " + e.getMessage());
        }
    }

    private void strikeRank(int victim) {
        for (int i = 0; i < ranks; i++) {
            int rank = (victim + i) % ranks;
            int incarnation = run.strike(rank);
            if (incarnation > 0) {
                note(new Kill(rank, incarnation, System.nanoTime() - startNs));
                return;
            }
        }
    }

    private synchronized void note(RelayKill kill) {
        relayKills.add(kill);
    }

    private synchronized void note(Kill kill) {
        kills.add(kill);
    }

    /** What was killed, in order. */
    public synchronized List<Kill> kills() {
        return List.copyOf(kills);
    }

    /** The relays that were killed, in the order in which they served again. */
    public synchronized List<RelayKill> relayKills() {
        return List.copyOf(relayKills);
    }

    /** How long after the job's start every rank's program had called Init. */
    synchronized long connectedNs() {
        return connectedNs;
    }

    /** Whether the job was ended because it took too long. */
    synchronized boolean isOverdue() {
        return overdue;
    }

    /** Nothing is killed any more; a relay that was is up again. */
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
