package org.posthouse.launch.remote;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.AgentFrameListener;
import org.posthouse.launch.place.AllocationRequest;
import org.posthouse.launch.place.NodeAllocation;
import org.posthouse.launch.place.NodeOrder;
import org.posthouse.launch.place.NodeSlots;
import org.posthouse.launch.place.StageDisplay;
import org.posthouse.launch.process.ProcessRequest;
import org.posthouse.launch.process.ProcessStarter;
import org.posthouse.launch.process.StartedProcess;
import org.posthouse.launch.process.StoppedRanks;
import org.posthouse.launch.reserve.ReservationRound;
import org.posthouse.wire.AgentEnvelope;
import org.posthouse.wire.AgentGone;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.StageAnswer;
import org.posthouse.wire.StageTaken;
import org.posthouse.wire.StartSpec;
import org.posthouse.wire.WireException;

/**
 * The nodes of a job, and the launcher's end of its exchange with their agents. It starts ranks on nodes, passes their
 * streams on, and gives up the processes of a node that is gone for too long, so that they are started elsewhere.
 *
 * <p>Thread-safe by its own lock. The readers of the relays' connections call it, the job's thread, and a thread of its
 * own that looks at the time.
 */
public final class AgentPool implements ProcessStarter {
    private static final long LOOK_MS = 250;

    /** Between two searches for further nodes. */
    private static final long SEARCH_NS = 1_000_000_000L;

    /** Status of a process whose node is gone: as of one that was killed. */
    private static final int STATUS_NODE_LOST = 137;

    /** Status of a process that was not started. */
    private static final int STATUS_NOT_STARTED = 143;

    private final NodeJob job;
    private final AgentLines lines;

    /** The sites of the job's relays, in the order of its homes. */
    private final List<String> sites;

    private final AllocationRequest request;
    private final long nodeTimeoutNs;
    private final JobStaging staging;
    private final Consumer<String> printer;
    private final Consumer<String> failed;
    private final Exchange exchange = new Exchange();

    // Guarded by this.
    private final Map<Long, Node> nodes = new HashMap<>();

    /** The node where each rank was started last, or is to be started first; ranks without one take any. */
    private final Map<Integer, Node> nodeOf = new HashMap<>();

    /** Processes for which there is no slot, by rank. */
    private final Map<Integer, NodeProcess> waiting = new TreeMap<>();

    /** Nodes that were asked for slots and have not answered. */
    private final Map<Long, Node> asked = new HashMap<>();

    private long searchedNs = System.nanoTime();
    private boolean saidWaiting;
    private boolean isClosed;
    private final Thread looker;

    /**
     * @param sites the sites of the job's relays, in the order of its homes
     * @param request where its ranks may be
     * @param nodeTimeoutMs how long an agent may be away before its processes count as lost
     * @param staging brings the job's files to its relays; closed with this
     * @param printer prints a line for people
     * @param failed takes the reason, in one line, if a process cannot be started on its node; the job then ends
     */
    public AgentPool(
            NodeJob job, AgentLines lines, List<String> sites, AllocationRequest request, long nodeTimeoutMs,
            JobStaging staging, Consumer<String> printer, Consumer<String> failed) {
        this.job = job;
        this.lines = lines;
        this.sites = List.copyOf(sites);
        this.request = request;
        this.nodeTimeoutNs = TimeUnit.MILLISECONDS.toNanos(nodeTimeoutMs);
        this.staging = staging;
        this.printer = printer;
        this.failed = failed;
        this.looker = Thread.ofVirtual().name("posthouse-nodes").unstarted(this::lookOften);
    }

    /** Adds a node with slots of the job, which were confirmed, and the ranks that are to be started there. */
    public synchronized void add(int relay, AgentOffer offer, int slots, List<Integer> ranks) {
        Node node = new Node(relay, sites.get(relay), offer, slots);
        nodes.put(offer.agent(), node);
        ranks.forEach(rank -> nodeOf.put(rank, node));
    }

    /**
     * Brings the job's files to its relays. Blocks.
     *
     * @throws JobFailure in one line, if one cannot be brought there
     */
    public void stage(Optional<StageDisplay> display) throws JobFailure {
        staging.run(display.orElseGet(() -> new StageReport(printer)));
    }

    /** Begins to look at the time. */
    public void watch() {
        looker.start();
    }

    private void lookOften() {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MS);
                look(System.nanoTime());
                search(System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Gives up the processes of nodes that are gone for too long, and starts processes that wait for a slot. */
    synchronized void look(long nowNs) {
        for (Node node : List.copyOf(nodes.values())) {
            if (node.isGoneFor(nodeTimeoutNs, nowNs)) {
                giveUp(node);
            }
        }
        for (NodeProcess process : List.copyOf(waiting.values())) {
            place(process);
        }
        if (waiting.isEmpty()) {
            saidWaiting = false;
        }
    }

    /** Asks nodes that the job does not have for slots, if processes wait for one. */
    private void search(long nowNs) {
        int wanted;
        synchronized (this) {
            wanted = waiting.size();
            if (wanted == 0 || nowNs - searchedNs < SEARCH_NS) {
                return;
            }
            searchedNs = nowNs;
        }
        List<NodeSlots> found = new ArrayList<>();
        Map<Long, Node> candidates = new HashMap<>();
        for (int relay = 0; relay < sites.size(); relay++) {
            for (AgentOffer offer : lines.nodes(relay)) {
                found.add(NodeSlots.of(offer, sites.get(relay), 0));
                candidates.put(offer.agent(), new Node(relay, sites.get(relay), offer, 0));
            }
        }
        synchronized (this) {
            nodes.keySet().forEach(candidates::remove);
            for (NodeSlots node : NodeAllocation.eligible(NodeOrder.byDistance(found), request)) {
                Node candidate = candidates.get(node.agent());
                if (candidate != null && node.free() > 0 && wanted > 0) {
                    asked.put(node.agent(), candidate);
                    int want = Math.min(wanted, node.free());
                    wanted -= want;
                    send(candidate, new AgentMessage.Reserve(job.key(), want, ReservationRound.TTL_MS, System.getProperty("user.name")));
                }
            }
        }
    }

    /** A further node has granted slots. */
    private void reserved(Node candidate, AgentMessage.Reserved m) {
        if (m.granted() == 0) {
            return;
        }
        Node node = candidate.withSlots(m.granted());
        nodes.put(node.agent(), node);
        send(node, new AgentMessage.Confirm(job.key(), m.granted(), job.launcherSeconds()));
        printer.accept(node + " joins the job with " + m.granted() + " slots");
        List.copyOf(waiting.values()).forEach(this::place);
    }

    private void giveUp(Node node) {
        List<NodeProcess> lost = new ArrayList<>();
        node.processes().forEach(lost::add);
        String ranks = lost.stream().map(process -> Integer.toString(process.rank())).collect(Collectors.joining(", "));
        printer.accept(node + " is gone: " + node.whyGone() + (lost.isEmpty() ? "" : "; ranks " + ranks + " count as killed"));
        node.lost();
        lost.forEach(process -> process.exited(STATUS_NODE_LOST));
    }

    // ---- starting

    @Override
    public StartedProcess start(ProcessRequest request) throws JobFailure {
        NodeProcess process = new NodeProcess(request, exchange);
        synchronized (this) {
            place(process);
            if (waiting.containsKey(request.rank()) && !saidWaiting) {
                saidWaiting = true;
                printer.accept(
                        "rank " + request.rank() + " waits for a free slot: " + nodes.values().stream().filter(Node::isUsable).count() + " of " + nodes.size()
                                + " nodes of the job are there, and all their slots are taken");
            }
        }
        return process;
    }

    private void place(NodeProcess process) {
        Node node = choose(process.rank());
        if (node == null) {
            waiting.put(process.rank(), process);
            return;
        }
        waiting.remove(process.rank());
        nodeOf.put(process.rank(), node);
        node.add(process);
        sendStart(node, process);
    }

    /** The rank's own node if it can be, else the node with the most free slots, of the same relay first. */
    private Node choose(int rank) {
        Node own = nodeOf.get(rank);
        if (own != null && own.isUsable() && own.free() > 0) {
            return own;
        }
        Node best = null;
        for (Node node : nodes.values()) {
            if (node.isUsable() && node.free() > 0 && (own == null || node.relay() == own.relay()) && (best == null || node.free() > best.free())) {
                best = node;
            }
        }
        return best;
    }

    private void sendStart(Node node, NodeProcess process) {
        ProcessRequest request = process.request();
        StartSpec spec = new StartSpec(
                job.mainClass(), job.arguments(), job.jvmFlags(), new TreeMap<>(job.environment()), job.classPath(), job.files(), job.workFolder(), "",
                request.way().token(), false, job.isRestartable(), Objects.requireNonNullElse(request.marks(), ""), request.hasInput(), job.silenceSeconds());
        spec.parts(job.key(), process.rank(), process.incarnation()).forEach(part -> send(node, part));
    }

    private void send(Node node, AgentMessage message) {
        lines.send(node.relay(), AgentEnvelope.of(job.job(), node.agent(), 0, message).encode());
    }

    // ---- what agents and relays report

    /** Receives a relay's frames about nodes and files. */
    public AgentFrameListener listener(int relay) {
        return new AgentFrameListener() {
            @Override
            public void onFrame(FrameType type, ByteBuffer frame) throws WireException {
                AgentPool.this.onFrame(relay, type, frame);
            }

            @Override
            public void onLost(String why) {
                staging.lost(relay, why);
            }
        };
    }

    private void onFrame(int relay, FrameType type, ByteBuffer frame) throws WireException {
        switch (type) {
            case STAGE_ANSWER -> staging.onAnswer(relay, StageAnswer.decode(frame));
            case STAGE_TAKEN -> staging.onTaken(relay, StageTaken.decode(frame));
            case AGENT_MESSAGE -> onMessage(frame);
            case AGENT_GONE -> onGone(AgentGone.decode(frame));
            case AGENT_OFFER -> onOffer(AgentOffer.decode(frame));
            default -> throw new WireException(CloseReason.NOT_EXPECTED, type + " to a launcher");
        }
    }

    private void onMessage(ByteBuffer frame) throws WireException {
        AgentEnvelope envelope = AgentEnvelope.decode(frame);
        AgentMessage message = envelope.message();
        synchronized (this) {
            Node candidate = asked.get(envelope.agent());
            Node node = nodes.get(envelope.agent());
            if (envelope.job() != job.job()) {
                return;
            }
            if (candidate != null && message instanceof AgentMessage.Reserved reserved) {
                asked.remove(envelope.agent());
                reserved(candidate, reserved);
            } else if (node != null) {
                on(node, message);
            }
        }
    }

    private void on(Node node, AgentMessage message) {
        if (message instanceof AgentMessage.Attached m) {
            attached(node, m);
        } else if (message instanceof AgentMessage.Note m) {
            printer.accept(node + ": " + m.text());
        } else if (message instanceof AgentMessage.Started m) {
            started(node, m);
        } else if (message instanceof AgentMessage.Output m) {
            NodeProcess process = node.process(m.rank(), m.incarnation());
            if (process != null) {
                byte[] bytes = new byte[m.bytes().remaining()];
                m.bytes().duplicate().get(bytes);
                process.output(m.stream(), m.position(), bytes);
            }
        } else if (message instanceof AgentMessage.InputTaken m) {
            NodeProcess process = node.process(m.rank(), m.incarnation());
            if (process != null) {
                process.inputTaken(m.position());
            }
        } else if (message instanceof AgentMessage.Exited m) {
            exited(node, m);
        }
    }

    private void started(Node node, AgentMessage.Started m) {
        NodeProcess process = node.process(m.rank(), m.incarnation());
        if (process == null) {
            return;
        }
        if (m.error().isEmpty()) {
            process.started(m.pid());
            return;
        }
        failed.accept("rank " + m.rank() + " cannot be started on " + node + ": " + m.error());
        node.remove(process);
        process.exited(STATUS_NOT_STARTED);
    }

    private void exited(Node node, AgentMessage.Exited m) {
        send(node, new AgentMessage.ExitSeen(m.rank(), m.incarnation()));
        NodeProcess process = node.process(m.rank(), m.incarnation());
        if (process != null) {
            node.remove(process);
            process.exited(m.status());
        }
    }

    /** The agent has reported its processes on a new connection. */
    private void attached(Node node, AgentMessage.Attached m) {
        node.back();
        for (AgentMessage.AttachedProcess there : m.processes()) {
            if (node.process(there.rank(), there.incarnation()) == null) { // Given up meanwhile: another has its place.
                send(node, new AgentMessage.Signal(job.key(), there.rank(), there.incarnation(), AgentMessage.Target.KILL_TREE));
            }
        }
        if (node.isLost()) {
            node.revived();
            printer.accept(node + " is back");
        }
        for (NodeProcess process : node.processes()) {
            boolean isThere = m.processes().stream().anyMatch(it -> it.rank() == process.rank() && it.incarnation() == process.incarnation());
            if (isThere) {
                process.resend();
            } else if (process.isStarted()) {
                node.remove(process);
                process.exited(STATUS_NODE_LOST);
            } else {
                sendStart(node, process);
            }
        }
    }

    /** The relay has no connection of that agent. */
    private synchronized void onGone(AgentGone gone) {
        Node node = nodes.get(gone.end());
        if (node != null) {
            node.gone(gone.why(), System.nanoTime());
        }
    }

    /** An agent that was gone has come back to its relay. */
    private synchronized void onOffer(AgentOffer offer) {
        Node node = nodes.get(offer.agent());
        if (node != null) {
            node.offer(offer);
            send(node, new AgentMessage.Attach(job.key()));
        }
    }

    /** The launcher's connection to a relay has ended. */
    public synchronized void relayLost(int relay) {
        // A relay that is away is waited for as long as the job waits for it; its agents run on.
        nodes.values().stream().filter(node -> node.relay() == relay).forEach(Node::unheard);
    }

    /** The launcher is connected to a relay again. */
    public synchronized void relayBack(int relay) {
        staging.again(relay, printer);
        nodes.values().stream().filter(node -> node.relay() == relay).forEach(node -> send(node, new AgentMessage.Attach(job.key())));
    }

    // ---- what processes ask for

    /** Sends for a process to the node where it is. */
    private final class Exchange implements NodeProcess.Agent {
        @Override
        public void kill(NodeProcess process, boolean all) {
            synchronized (AgentPool.this) {
                if (waiting.remove(process.rank(), process)) {
                    process.exited(STATUS_NOT_STARTED);
                    return;
                }
                AgentMessage.Target target = all ? AgentMessage.Target.KILL_TREE : AgentMessage.Target.KILL;
                to(process, new AgentMessage.Signal(job.key(), process.rank(), process.incarnation(), target));
            }
        }

        @Override
        public void taken(NodeProcess process, int stream, long position) {
            synchronized (AgentPool.this) {
                to(process, new AgentMessage.OutputTaken(process.rank(), process.incarnation(), stream, position));
            }
        }

        @Override
        public void input(NodeProcess process, long position, byte[] bytes) {
            synchronized (AgentPool.this) {
                to(process, new AgentMessage.Input(process.rank(), process.incarnation(), position, false, ByteBuffer.wrap(bytes)));
            }
        }

        private void to(NodeProcess process, AgentMessage message) {
            Node node = nodeOf.get(process.rank());
            if (node != null && node.process(process.rank(), process.incarnation()) == process) {
                send(node, message);
            }
        }
    }

    /** The name of the node where a rank was started last; empty if it was not started yet. */
    public synchronized String nodeOf(int rank) {
        Node node = nodeOf.get(rank);
        return node == null ? "" : node.name();
    }

    /** The agents do it, on their nodes. */
    @Override
    public StopWatch limitStops(Supplier<List<? extends StoppedRanks.Watched>> processes, int seconds, Consumer<String> tell) {
        return () -> {};
    }

    /** Gives all slots back; what still runs there is killed by the agents. */
    @Override
    public synchronized void close() {
        if (!isClosed) {
            isClosed = true;
            looker.interrupt();
            nodes.values().forEach(node -> send(node, new AgentMessage.Release(job.key())));
            staging.close();
        }
    }
}
