package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.core.Job;
import org.posthouse.core.Refusal;
import org.posthouse.directory.NodeTotals;
import org.posthouse.relay.io.ArrivedFrame;
import org.posthouse.relay.io.OutboundChannel;
import org.posthouse.relay.names.NameCaller;
import org.posthouse.relay.names.NameRequests;
import org.posthouse.relay.stage.StageDownloads;
import org.posthouse.status.NodeStatus;
import org.posthouse.wire.AgentDrain;
import org.posthouse.wire.AgentEnd;
import org.posthouse.wire.AgentGone;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.AgentPing;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.JobCheck;
import org.posthouse.wire.NamePage;
import org.posthouse.wire.StageAsk;
import org.posthouse.wire.StageTaken;
import org.posthouse.wire.WireException;

/**
 * The session of a connected agent: its offers, and its messages to and from launchers (docs/wire.md, Agents). The relay
 * passes messages on and does not read them. Confined to the relay's control strand.
 */
final class AgentSession implements Session {
    /** Words of AGENT_MESSAGE, as {@link FrameView#linkWord} counts them. */
    static final int AGENT_WORD = 0;

    static final int LAUNCHER_WORD = 1;

    /** Offset of the launcher's number in AGENT_MESSAGE. */
    static final int LAUNCHER_AT = 24;

    private final Relay relay;
    private final Connection connection;
    private final OutboundChannel outboundChannel;
    private final SessionOutput output;
    private final StageDownloads files;
    private final NameRequests names;
    private final long since = System.currentTimeMillis();

    /** Launchers that have asked for a drain, or its end, and wait for the offer that answers. */
    private final List<LauncherAgents> drainers = new ArrayList<>();

    /** The last offer, with a name that no other agent has; null before the first. */
    private AgentOffer offer;

    /** The name in the last offer as it came. */
    private String ownName = "";

    private long heardNanos = System.nanoTime();

    /** Whether the agent has said that it ends. */
    private boolean hasLeft;

    AgentSession(Relay relay, Connection connection) {
        this.relay = relay;
        this.connection = connection;
        this.outboundChannel = connection.line();
        this.output = new SessionOutput(connection);
        this.files = relay.stage().downloads(frame -> relay.control().submit(() -> output.write(frame)));
        this.names = relay.names().requests(new NameCaller.Agent(), frame -> relay.control().submit(() -> output.write(frame)));
    }

    /** Answers as to a launcher, with the relays of the directory. */
    @Override
    public void begin() {
        if (connection.tryAdmit()) {
            output.write(relay.welcomeLauncher().encode());
        }
    }

    @Override
    public void onFrame(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        heardNanos = System.nanoTime();
        if (offer != null) {
            relay.agents().detection().onHeard(offer.agent());
        }
        switch (view.type()) {
            case AGENT_OFFER -> onOffer(AgentOffer.decode(ArrivedFrame.copy(buffer, index, length)));
            case AGENT_MESSAGE -> onMessage(buffer, index, length, view);
            case AGENT_PING -> output.write(AgentPing.decode(ArrivedFrame.copy(buffer, index, length)).encode(FrameType.AGENT_PONG));
            case JOB_CHECK -> onCheck(JobCheck.decode(ArrivedFrame.copy(buffer, index, length)).job());
            case NAME_ASK -> names.onPage(NamePage.decode(ArrivedFrame.copy(buffer, index, length)));
            case STAGE_ASK -> files.onAsk(StageAsk.decode(ArrivedFrame.copy(buffer, index, length)));
            case STAGE_TAKEN -> files.onTaken(StageTaken.decode(ArrivedFrame.copy(buffer, index, length)));
            case GOSSIP -> joinedOnly(view).gossip(buffer, index, length);
            case DETECTOR_QUESTION -> joinedOnly(view).question(this, buffer, index, length);
            case DETECTOR_CHECK -> {} // That it came is the answer.
            case CLOSE -> {
                hasLeft = true;
                outboundChannel.cut(CloseNotice.decode(ArrivedFrame.copy(buffer, index, length)));
            }
            default -> throw new WireException(CloseReason.NOT_EXPECTED, view.type() + " from an agent");
        }
    }

    private HostDetection joinedOnly(FrameView view) throws WireException {
        if (offer == null) {
            throw new WireException(CloseReason.NOT_EXPECTED, view.type() + " from " + this + ", expected AGENT_OFFER first");
        }
        return relay.agents().detection();
    }

    private void onCheck(long job) {
        output.write(new JobCheck(job, relay.jobs().job(job) != null).encode());
    }

    private void onOffer(AgentOffer next) throws WireException {
        String certified = connection.node().orElse(next.name());
        if (!next.name().equals(certified)) {
            throw new WireException(
                    CloseReason.WRONG_TOKEN, "offer of node " + next.name() + " by an agent whose certificate is for node " + certified);
        }
        if (offer == null) {
            offer = next;
            ownName = next.name();
            join();
            return;
        }
        if (next.agent() != offer.agent()) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED, "offer of agent " + Job.hexId(next.agent()) + " from " + this + ", expected " + Job.hexId(offer.agent()));
        }
        String name = next.name().equals(ownName) ? offer.name() : relay.agents().renamed(offer.name(), next.name());
        ownName = next.name();
        if (next.draining() != offer.draining()) {
            relay.events().add(next.draining() ? "NODE_DRAINED" : "NODE_UNDRAINED", this + (next.draining() ? " takes no new job" : " takes jobs again"));
        }
        offer = next.named(name);
        List<LauncherAgents> waiting = List.copyOf(drainers);
        drainers.clear();
        waiting.forEach(launcher -> launcher.write(offer.encode()));
    }

    private void join() {
        try {
            relay.agents().join(this);
        } catch (Refusal e) {
            close(CloseNotice.closing(0, e.reason(), e.getMessage()));
        }
    }

    /** Passes a message on to its launcher, if that has sent to this agent. */
    private void onMessage(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        long named = view.linkWord(AGENT_WORD);
        if (offer == null || named != offer.agent()) {
            throw new WireException(
                    CloseReason.NOT_EXPECTED,
                    "message of agent " + Job.hexId(named) + " from " + this + (offer == null ? ", expected AGENT_OFFER first" : ""));
        }
        long number = view.linkWord(LAUNCHER_WORD);
        relay.agents()
                .launcher(number)
                .filter(launcher -> launcher.hasSentTo(named))
                .ifPresentOrElse(
                        launcher -> launcher.write(Unpooled.copiedBuffer(buffer.slice(index, length))), () -> relay.agents().drop(this, number));
    }

    // ---- what launchers and the registry call

    long agent() {
        return offer.agent();
    }

    AgentOffer offer() {
        return offer;
    }

    void rename(String name) {
        offer = offer.named(name);
    }

    /** When a frame came last, on the clock of {@link System#nanoTime}. */
    long heardNanos() {
        return heardNanos;
    }

    /** Whether the agent has said that it ends; otherwise its connection broke. */
    boolean hasLeft() {
        return hasLeft;
    }

    String remote() {
        return outboundChannel.remote();
    }

    void write(ByteBuffer frame) {
        output.write(frame);
    }

    /** Passes a message of the launcher with this number on. Takes over the frame. */
    void pass(ByteBuf frame, long launcher) {
        output.write(frame.setLong(frame.readerIndex() + LAUNCHER_AT, launcher));
    }

    /** Passes an order of a launcher on, which gets the agent's next offer. */
    void drain(AgentDrain order, LauncherAgents launcher) {
        drainers.add(launcher);
        output.write(order.encode());
    }

    /** Asks the agent to take no new job, or to take jobs again. */
    void drain(boolean drain) {
        output.write(new AgentDrain(agent(), drain).encode());
    }

    /** Passes an order of a launcher on, which gets the agent's next offer, or learns of its end. */
    void end(AgentEnd order, LauncherAgents launcher) {
        drainers.add(launcher);
        output.write(order.encode());
    }

    /** Tells the agent that the connection of a launcher has ended. */
    void onLauncherGone(long launcher, String why) {
        output.write(new AgentGone(launcher, why).encode());
    }

    /** Whether this launcher has ordered a drain, and the agent has not answered. */
    boolean isAwaitedBy(LauncherAgents launcher) {
        return drainers.contains(launcher);
    }

    /** The connection of a launcher that has ordered a drain has ended. */
    void answerNoMore(LauncherAgents launcher) {
        drainers.removeIf(launcher::equals);
    }

    void close(CloseNotice why) {
        connection.close(why);
    }

    /** The sum with this agent. One that is drained has no free slots for a new job. */
    NodeTotals addTo(NodeTotals sum) {
        return new NodeTotals(sum.nodes() + 1, sum.slots() + offer.slots(), sum.free() + (offer.draining() ? 0 : offer.free()));
    }

    NodeStatus status() {
        return new NodeStatus(
                offer.name(),
                Job.hexId(offer.agent()),
                offer.host(),
                offer.draining() ? NodeStatus.DRAINING : NodeStatus.OPEN,
                offer.slots(),
                offer.free(),
                offer.jobs(),
                offer.jobsNow(),
                offer.cores(),
                offer.memoryBytes(),
                offer.rttMicros(),
                offer.version(),
                since,
                offer.labels().entrySet().stream().map(label -> label.getKey() + "=" + label.getValue()).toList());
    }

    @Override
    public void onWritable() {
        // Nothing was held back; SessionOutput limits what waits.
    }

    @Override
    public void onClosed(CloseNotice why) {
        files.close();
        names.close();
        if (offer != null) {
            relay.agents().leave(this, why);
        }
    }

    @Override
    public String toString() {
        return offer == null ? "an agent" : "agent " + offer.name() + " (" + Job.hexId(offer.agent()) + ")";
    }
}
