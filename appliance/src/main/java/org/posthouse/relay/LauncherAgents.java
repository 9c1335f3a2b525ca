package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Future;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.posthouse.audit.Audit;
import org.posthouse.core.Job;
import org.posthouse.relay.io.ArrivedFrame;
import org.posthouse.wire.AgentDrain;
import org.posthouse.wire.AgentEnd;
import org.posthouse.wire.AgentGone;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.NodeLifetimes;
import org.posthouse.wire.NodesPage;
import org.posthouse.wire.WireException;

/**
 * What one connection of a launcher says to the agents of this relay, and gets from them. Confined to the relay's
 * control strand.
 */
final class LauncherAgents {
    /** Most agents that a launcher sends to on one connection: all that are here, and as many that are gone. */
    private static final int AGENTS_MAX = 2 * AgentRegistry.AGENTS_MAX;

    private final Relay relay;
    private final long number;
    private final SessionOutput output;
    private final Future<String> owner;

    /** Agents to which this connection has sent, connected or not. */
    private final Set<Long> agents = new LinkedHashSet<>();

    /** Agents to which this connection has passed an order to drain. */
    private final Set<Long> drained = new LinkedHashSet<>();

    LauncherAgents(Relay relay, long number, SessionOutput output, Future<String> owner) {
        this.relay = relay;
        this.number = number;
        this.output = output;
        this.owner = owner;
    }

    /** The connection's number, by which agents answer. */
    long number() {
        return number;
    }

    boolean hasSentTo(long agent) {
        return agents.contains(agent);
    }

    /** Takes over the buffer. */
    void write(ByteBuf frame) {
        output.write(frame);
    }

    void write(ByteBuffer frame) {
        output.write(frame);
    }

    /** Answers NODES with the relay's agents. */
    void list(ByteBuffer frame) throws WireException {
        if (!NodesPage.isAsk(frame)) {
            throw new WireException(CloseReason.NOT_EXPECTED, "NODES of " + frame.remaining() + " bytes from a launcher, expected 16");
        }
        NodesPage.encode(relay.agents().offers()).forEach(this::write);
    }

    /** Answers NODE_LIFETIMES. */
    void listLifetimes(ByteBuffer frame) throws WireException {
        if (!NodeLifetimes.isAsk(frame)) {
            throw new WireException(CloseReason.NOT_EXPECTED, "NODE_LIFETIMES of " + frame.remaining() + " bytes from a launcher, expected 16");
        }
        NodeLifetimes.encode(relay.agents().lifetimes().list(System.nanoTime())).forEach(this::write);
    }

    /** Passes an AGENT_MESSAGE on to its agent, with the number of this connection. */
    void pass(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        long launcher = view.linkWord(AgentSession.LAUNCHER_WORD);
        if (launcher != 0) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "AGENT_MESSAGE of a launcher with number " + launcher + ", expected 0");
        }
        long agent = view.linkWord(AgentSession.AGENT_WORD);
        requireFew(agents, agent);
        reached(agent).ifPresent(session -> session.pass(Unpooled.copiedBuffer(buffer.slice(index, length)), number));
    }

    /** Passes an order to drain a node on, and writes it to the audit log. */
    void drain(ByteBuf buffer, int index, int length) throws WireException {
        AgentDrain order = AgentDrain.decode(ArrivedFrame.copy(buffer, index, length));
        requireFew(drained, order.agent());
        Optional<AgentSession> reached = reached(order.agent());
        if (reached.isEmpty()) {
            return;
        }
        AgentSession session = reached.get();
        String what = session + (order.drain() ? " is to take no new job" : " is to take jobs again") + ", by order of ";
        owner.onComplete((name, fault) -> Audit.changed(relay.id(), what + (fault == null ? name : "a launcher")));
        session.drain(order, this);
    }

    /** Passes an order to end on, and writes it to the audit log. */
    void endAgent(ByteBuf buffer, int index, int length) throws WireException {
        AgentEnd order = AgentEnd.decode(ArrivedFrame.copy(buffer, index, length));
        requireFew(drained, order.agent());
        reached(order.agent()).ifPresent(session -> {
            String what = session + (order.now() ? " is to end at once" : " is to end after its jobs") + ", by order of ";
            owner.onComplete((name, fault) -> Audit.changed(relay.id(), what + (fault == null ? name : "a launcher")));
            session.end(order, this);
        });
    }

    private static void requireFew(Set<Long> sentTo, long agent) throws WireException {
        if (sentTo.add(agent) && sentTo.size() > AGENTS_MAX) {
            throw new WireException(CloseReason.LIMIT, "a launcher that sends to " + sentTo.size() + " agents, expected at most " + AGENTS_MAX);
        }
    }

    /** The agent that is sent to; tells the launcher if it is not there. */
    private Optional<AgentSession> reached(long agent) {
        Optional<AgentSession> session = relay.agents().agent(agent);
        if (session.isEmpty()) {
            write(new AgentGone(agent, "relay " + relay.id() + " has no agent " + Job.hexId(agent)).encode());
        }
        return session;
    }

    /** An agent has connected. */
    void onAgent(AgentSession session) {
        if (hasSentTo(session.agent())) {
            write(session.offer().encode());
        }
    }

    /** An agent's connection has ended. */
    void onAgentGone(AgentSession session, String why) {
        if (hasSentTo(session.agent()) || session.isAwaitedBy(this)) {
            write(new AgentGone(session.agent(), why).encode());
        }
    }

    /** Tells the agents to which it has sent that this connection has ended. */
    void end(CloseNotice why) {
        String text = "the launcher's connection ended: " + why.text();
        agents.forEach(agent -> relay.agents().agent(agent).ifPresent(session -> session.onLauncherGone(number, text)));
        drained.forEach(agent -> relay.agents().agent(agent).ifPresent(session -> session.answerNoMore(this)));
    }
}
