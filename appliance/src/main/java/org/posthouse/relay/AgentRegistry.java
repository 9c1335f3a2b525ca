package org.posthouse.relay;

import io.vertx.core.Future;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.posthouse.audit.Audit;
import org.posthouse.core.Refusal;
import org.posthouse.directory.NodeTotals;
import org.posthouse.status.NodeStatus;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.DetectorVerdict;

/**
 * The agents of a relay, and the launchers that may send to them (docs/wire.md, Agents). An agent is here from its first
 * offer to the end of its connection. Confined to the relay's control strand.
 */
final class AgentRegistry {
    /** Most agents of a relay. Their names, labels and sessions take some 16 MiB at most. */
    static final int AGENTS_MAX = 4_096;

    /** Agents that have ended whose lifetimes are kept: some 400 KB. */
    private static final int ENDED_MAX = 4_096;

    /** Nanoseconds after which a silent agent's connection is closed: six pings. */
    static final long SILENCE_NANOS_MAX = TimeUnit.SECONDS.toNanos(30);

    /** Least time between two announcements of changed agents, whose slots change with each job. */
    private static final long ANNOUNCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Relay relay;
    private final HostDetection detection;
    private final Map<Long, AgentSession> agents = new LinkedHashMap<>();
    private final Set<String> names = new HashSet<>();
    private final Map<Long, LauncherAgents> launchers = new HashMap<>();
    private final AgentLifetimes lifetimes = new AgentLifetimes(ENDED_MAX);
    private int agentsMax = AGENTS_MAX;
    private NodeTotals announced = NodeTotals.NONE;
    private long announcedNanos = System.nanoTime() - ANNOUNCE_NANOS;
    private long lastLauncher;
    private long dropped;

    AgentRegistry(Relay relay) {
        this.relay = relay;
        this.detection = new HostDetection(relay);
    }

    /** What the relay does for the failure detectors of jobs. */
    HostDetection detection() {
        return detection;
    }

    /** For tests. */
    void limit(int most) {
        agentsMax = most;
    }

    // ---- agents

    /** The agent with this number, if it is connected. */
    Optional<AgentSession> agent(long number) {
        assert relay.inLoop();
        return Optional.ofNullable(agents.get(number));
    }

    /**
     * Adds an agent, or replaces its older connection. Launchers that have sent to it are told.
     *
     * @throws Refusal if there are too many
     */
    void join(AgentSession session) throws Refusal {
        assert relay.inLoop();
        AgentSession older = agents.get(session.agent());
        if (older == null && agents.size() >= agentsMax) {
            throw new Refusal(CloseReason.LIMIT, "relay " + relay.id() + " has " + agents.size() + " agents, at most " + agentsMax);
        }
        if (older != null) {
            CloseNotice replaced = CloseNotice.closing(0, CloseReason.FENCED, "the agent has another connection");
            older.close(replaced);
            leave(older, replaced);
        }
        session.rename(renamed("", session.offer().name()));
        agents.put(session.agent(), session);
        lifetimes.joined(session.agent(), System.nanoTime());
        detection.onJoined(session);
        Audit.changed(relay.id(), session + " on host " + session.offer().host() + " joined from " + session.remote() + ", with " + session.offer().slots()
                + " slots");
        relay.events().add("NODE_CONNECTED", session + " has joined with " + session.offer().slots() + " slots");
        launchers.values().forEach(launcher -> launcher.onAgent(session));
    }

    /** Removes an agent whose connection has ended, unless a newer connection has replaced it. */
    void leave(AgentSession session, CloseNotice why) {
        assert relay.inLoop();
        if (!agents.remove(session.agent(), session)) {
            return;
        }
        lifetimes.ended(session.agent(), System.nanoTime(), session.hasLeft());
        names.remove(session.offer().name());
        detection.onLeft(session.agent());
        String text = session + " is gone: " + why.words();
        Audit.changed(relay.id(), text);
        relay.events().add("NODE_LEFT", text);
        launchers.values().forEach(launcher -> launcher.onAgentGone(session, text));
    }

    /** Changes an agent's name to the first of name, name-2, name-3, and so on, that no other agent has. */
    String renamed(String before, String name) {
        names.remove(before);
        String free = name;
        for (int number = 2; !names.add(free); number++) {
            free = name + "-" + number;
        }
        return free;
    }

    /** Closes the connections of agents that have sent nothing for {@link #SILENCE_NANOS_MAX}, as of a node without power. */
    void closeSilent(long nowNanos) {
        assert relay.inLoop();
        for (AgentSession session : List.copyOf(agents.values())) {
            long silence = nowNanos - session.heardNanos();
            if (silence > SILENCE_NANOS_MAX) {
                session.close(CloseNotice.closing(
                        0, CloseReason.TIMEOUT, session + " has sent nothing for " + TimeUnit.NANOSECONDS.toSeconds(silence) + " s"));
            }
        }
    }

    /** Asks the agent of this name to take no new job, or to take jobs again. @return whether there is one */
    boolean drain(String name, boolean drain) {
        assert relay.inLoop();
        Optional<AgentSession> found = agents.values().stream().filter(session -> session.offer().name().equals(name)).findFirst();
        found.ifPresent(session -> session.drain(drain));
        return found.isPresent();
    }

    /** The agents in sum, as they are to be announced in the directory. */
    NodeTotals totals() {
        assert relay.inLoop();
        announced = NodeTotals.NONE;
        agents.values().forEach(session -> announced = session.addTo(announced));
        return announced;
    }

    /** Announces the agents in sum if that has changed, at most once in {@link #ANNOUNCE_NANOS}. Called now and then. */
    void announceChange(long nowNanos) {
        assert relay.inLoop();
        NodeTotals before = announced;
        if (nowNanos - announcedNanos >= ANNOUNCE_NANOS && !totals().equals(before)) {
            announcedNanos = nowNanos;
            relay.announce();
        }
    }

    /** What each agent has offered last. */
    List<AgentOffer> offers() {
        assert relay.inLoop();
        return agents.values().stream().map(AgentSession::offer).toList();
    }

    /** How long agents have been connected. */
    AgentLifetimes lifetimes() {
        assert relay.inLoop();
        return lifetimes;
    }

    /** The agents as the console shows them, by name. */
    List<NodeStatus> status() {
        assert relay.inLoop();
        return agents.values().stream().map(AgentSession::status).sorted(Comparator.comparing(NodeStatus::name)).toList();
    }

    // ---- launchers

    /** Gives a launcher's connection its number. */
    LauncherAgents admit(SessionOutput output, Future<String> owner) {
        assert relay.inLoop();
        LauncherAgents launcher = new LauncherAgents(relay, ++lastLauncher, output, owner);
        launchers.put(lastLauncher, launcher);
        return launcher;
    }

    /** Tells launchers that have sent to an agent that it is dead. */
    void tellDead(long job, long agent) {
        assert relay.inLoop();
        launchers.values().stream().filter(launcher -> launcher.hasSentTo(agent)).forEach(
                launcher -> launcher.write(new DetectorVerdict(job, agent, 0, 0, true).encode()));
    }

    /** Removes a launcher whose connection has ended, and tells the agents to which it has sent. */
    void leave(LauncherAgents launcher, CloseNotice why) {
        assert relay.inLoop();
        launchers.remove(launcher.number());
        launcher.end(why);
    }

    /** The launcher's connection with this number, if it is open. */
    Optional<LauncherAgents> launcher(long number) {
        assert relay.inLoop();
        return Optional.ofNullable(launchers.get(number));
    }

    /** Whether a launcher's connection had this number and has ended. */
    boolean hasEnded(long number) {
        return number > 0 && number <= lastLauncher && !launchers.containsKey(number);
    }

    /** Counts a message of an agent that no launcher gets, and reports it if the agent is to blame. */
    void drop(AgentSession session, long launcher) {
        assert relay.inLoop();
        dropped++;
        if (!hasEnded(launcher)) {
            relay.refusals()
                    .refused(
                            CloseReason.NOT_EXPECTED,
                            "dropped a message of " + session + " from " + session.remote() + " for launcher " + launcher + ", which has not sent to it");
        }
    }

    /** Messages of agents that no launcher got. */
    long dropped() {
        return dropped;
    }
}
