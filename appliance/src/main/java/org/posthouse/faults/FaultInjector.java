package org.posthouse.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.posthouse.launch.RunningJob;
import org.posthouse.launch.install.RelayProcess;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.RelayLoss;
import org.posthouse.launch.job.Restart;
import org.posthouse.launch.provision.AgentProcess;

/**
 * Kills ranks, agents, relays and launchers of one job at set moments, starts agents and relays again, and ends a job that lasts too long. It has threads
 * of its own, which {@link #close} ends; what they have done is guarded by itself. A strike that finds no process left, because the job is over, does nothing.
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
            case RANK -> strikeRank(strike.number());
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

    private void strikeRank(int first) {
        for (int i = 0; i < ranks; i++) {
            int rank = (first + i) % ranks;
            int incarnation = run.strike(rank);
            if (incarnation > 0) {
                note(new RankKill(rank, incarnation, System.nanoTime() - startNs));
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

    private synchronized void note(RankKill kill) {
        kills.add(kill);
    }

    /** The ranks that were killed, in order. */
    public synchronized List<RankKill> kills() {
        return List.copyOf(kills);
    }

    /** The relays that were killed, in the order in which they served again. */
    public synchronized List<RelayKill> relayKills() {
        return List.copyOf(relayKills);
    }

    /** The agents that were killed, in the order in which they had reached their relays again. */
    public synchronized List<AgentKill> agentKills() {
        return List.copyOf(agentKills);
    }

    /** A restart, or a loss of a relay, that comes of nothing that this has done, in one line; empty if there is none. Good once it is closed. */
    public String byItself(JobOutcome outcome) {
        return byItself(outcome, kills(), relayKills(), agentKills());
    }

    /** A restart, or a loss of a relay, that comes of no kill, in one line; empty if there is none. */
    public static String byItself(JobOutcome outcome, List<RankKill> kills, List<RelayKill> relayKills, List<AgentKill> agentKills) {
        int killedWithAgents = agentKills.stream().mapToInt(AgentKill::ranks).sum();
        for (Restart restart : outcome.restarts()) {
            boolean ofRelay = restart.lostRelay() && !relayKills.isEmpty();
            boolean isExplained = restart.lostLauncher() || ofRelay || kills.stream().anyMatch(kill -> kill.ledTo(restart));
            if (!isExplained && killedWithAgents-- <= 0) {
                return "rank " + restart.rank() + " was restarted and nobody killed it: " + restart.cause();
            }
        }
        List<String> killed = new ArrayList<>(relayKills.stream().map(RelayKill::relay).toList());
        for (RelayLoss loss : outcome.relayLosses()) {
            if (!killed.remove(loss.relay())) {
                return String.format(Locale.ROOT, "relay %s was lost for %.2f s and nobody killed it then", loss.relay(), loss.downNs() / 1e9);
            }
        }
        return "";
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
