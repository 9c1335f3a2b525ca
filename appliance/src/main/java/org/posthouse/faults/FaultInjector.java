package org.posthouse.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import org.posthouse.launch.RunningJob;
import org.posthouse.launch.install.RelayProcess;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.provision.AgentProcess;

/**
 * Kills ranks, followers, agents, relays and launchers of one job at set moments, starts agents and relays again, and ends a job that lasts too long. It has
 * threads of its own, which {@link #close} ends; what they have done is guarded by itself. A strike that finds no process left, because the job is over, does
 * nothing.
 */
public final class FaultInjector implements AutoCloseable {
    /** The status of a job that was ended because it took too long, or a relay did not come back. */
    private static final int STATUS_ENDED = 1;

    private static final long POLL_MS = 20;

    private final RunningJob run;
    private final int ranks;
    private final List<RelayProcess> relays;
    private final List<AgentProcess> agents;
    private final Runnable strikeLauncher;
    private final long startNs = System.nanoTime();
    private final List<RankKill> kills = new ArrayList<>();
    private final List<RankKill> followerKills = new ArrayList<>();
    private final List<RelayKill> relayKills = new ArrayList<>();
    private final List<AgentKill> agentKills = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private long connectedNs;
    private String ended = "";
    private String lostRelay = "";

    private FaultInjector(RunningJob run, int ranks, List<RelayProcess> relays, List<AgentProcess> agents, Runnable strikeLauncher) {
        this.run = run;
        this.ranks = ranks;
        this.relays = relays;
        this.agents = agents;
        this.strikeLauncher = strikeLauncher;
    }

    /** As below for a job without nodes whose launcher is this process. */
    public static FaultInjector begin(RunningJob run, int ranks, List<RelayProcess> relays, List<PlannedKill> strikes, long secondsMax) {
        return begin(run, ranks, relays, List.of(), strikes, secondsMax);
    }

    /** As below for a job whose launcher is this process. */
    public static FaultInjector begin(
            RunningJob run, int ranks, List<RelayProcess> relays, List<AgentProcess> agents, List<PlannedKill> strikes, long secondsMax) {
        Runnable none = () -> {
            throw new IllegalStateException("a strike at a launcher that is no process of its own");
        };
        return begin(run, ranks, relays, agents, none, strikes, secondsMax);
    }

    /**
     * Begins to wait for the moments.
     *
     * @param run is about to be run
     * @param ranks how many it has
     * @param relays those that may be killed, by their numbers in strikes
     * @param agents the same of the nodes
     * @param strikeLauncher kills the present launcher and sees to the next
     * @param secondsMax how long the job may take
     */
    public static FaultInjector begin(
            RunningJob run, int ranks, List<RelayProcess> relays, List<AgentProcess> agents, Runnable strikeLauncher, List<PlannedKill> strikes,
            long secondsMax) {
        FaultInjector faultInjector = new FaultInjector(run, ranks, relays, agents, strikeLauncher);
        faultInjector.start("connected", faultInjector::noteConnected);
        faultInjector.start("overdue", () -> faultInjector.endOverdue(secondsMax));
        for (PlannedKill strike : strikes) {
            faultInjector.start("strike", () -> faultInjector.carryOut(strike));
        }
        return faultInjector;
    }

    /** A task that waits, and is interrupted when the job is over. */
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
        end("it was not over after " + secondsMax + " s");
    }

    /** Unless somebody has before. */
    private synchronized void end(String why) {
        if (!run.isStopped()) {
            ended = why;
            run.stop(STATUS_ENDED, why);
        }
    }

    /** Records the loss of a relay. A loss after the user has ended the job is no fault. */
    private synchronized void lose(String why) {
        lostRelay = isInterrupted() ? "" : why;
        end(why);
    }

    private void carryOut(PlannedKill strike) throws InterruptedException {
        if (strike.fromInit()) {
            run.awaitConnected();
        }
        TimeUnit.MILLISECONDS.sleep(strike.afterMs());
        if (strike.whose() == KillTarget.RELAY) {
            run.awaitOpen(); // The launcher needs all relays of a job to open it.
        }
        while (!strike.isDue().getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(POLL_MS);
        }
        switch (strike.whose()) {
            case RANK -> strikeRank(strike.number(), run::strike, kills);
            case FOLLOWER -> strikeRank(strike.number(), run::strikeFollower, followerKills);
            case RELAY -> strikeRelay(relays.get(strike.number()));
            case AGENT -> strikeAgent(agents.get(strike.number()));
            case LAUNCHER -> strikeLauncher.run();
        }
    }

    private void strikeRelay(RelayProcess relay) {
        try {
            OptionalLong killedNs = relay.strike();
            if (killedNs.isPresent()) {
                long servesNs = System.nanoTime() - killedNs.getAsLong();
                note(new RelayKill(relay.ready().relay(), killedNs.getAsLong() - startNs, servesNs));
            }
        } catch (JobFailure e) {
            lose("relay " + relay.ready().relay() + " was killed and cannot be started again: " + e.getMessage());
        }
    }

    private void strikeAgent(AgentProcess agent) {
        try {
            agent.strike().ifPresent(strike -> note(
                    new AgentKill(agent.name(), strike.atNs() - startNs, strike.ranks(), System.nanoTime() - strike.atNs())));
        } catch (JobFailure e) {
            lose("agent " + agent.name() + " was killed and cannot be started again: " + e.getMessage());
        }
    }

    /** @param by kills a process of a rank, and says its number; 0 if there is none */
    private void strikeRank(int first, IntUnaryOperator by, List<RankKill> done) {
        for (int i = 0; i < ranks; i++) {
            int rank = (first + i) % ranks;
            int incarnation = by.applyAsInt(rank);
            if (incarnation > 0) {
                synchronized (this) {
                    done.add(new RankKill(rank, incarnation, System.nanoTime() - startNs));
                }
                return;
            }
        }
    }

    private synchronized void note(RelayKill kill) {
        relayKills.add(kill);
    }

    private synchronized void note(AgentKill kill) {
        agentKills.add(kill);
    }

    /** What was done so far. A relay or an agent counts once its next process serves. */
    public synchronized InjectedFaults faults() {
        return new InjectedFaults(kills, followerKills, relayKills, agentKills);
    }

    /** When this began, by {@link System#nanoTime}: times of kills count from then. */
    public long startNs() {
        return startNs;
    }

    /** Nanoseconds from the job's start until every rank's program had called Init. */
    public synchronized long connectedNs() {
        return connectedNs;
    }

    /** Whether somebody else than this has ended the job: its user. */
    public synchronized boolean isInterrupted() {
        return ended.isEmpty() && run.isStopped();
    }

    /** Why a relay that was killed does not come back, which has ended the job; empty if there is none. */
    public synchronized String lostRelay() {
        return lostRelay;
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
