package org.posthouse.launch.remote;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.place.AgentFrameListener;
import org.posthouse.launch.place.AllocationRequest;
import org.posthouse.launch.place.DetectorRequest;
import org.posthouse.launch.place.NodeAllocation;
import org.posthouse.launch.place.NodeOrder;
import org.posthouse.launch.place.NodeSlots;
import org.posthouse.launch.place.StageDisplay;
import org.posthouse.launch.process.ProcessRequest;
import org.posthouse.launch.process.ProcessStarter;
import org.posthouse.launch.process.StartedProcess;
import org.posthouse.launch.process.StoppedRanks;
import org.posthouse.launch.reserve.ReservationRound;
import org.posthouse.mpj.Endpoints;
import org.posthouse.wire.AgentEnvelope;
import org.posthouse.wire.AgentGone;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.DetectorVerdict;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.OutputPoint;
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

    /** Longest wait for agents to free the slots of a job that has ended. */
    private static final long RELEASE_MS_MAX = 2_000;

    /** Between two searches for further nodes. */
    private static final long SEARCH_NS = 1_000_000_000L;

    /** The same if only spare slots are missing. */
    private static final long SEARCH_SPARES_NS = 5_000_000_000L;

    /** How often nodes that have joined the job and have no slots of it are told so: else they end. */
    private static final long TELL_SPARE_NS = 20_000_000_000L;

    /** Status of a process whose node is gone: as of one that was killed. */
    private static final int STATUS_NODE_LOST = 137;

    /** Status of a process that was not started. */
    private static final int STATUS_NOT_STARTED = 143;

    private final NodeJob job;
    private final AgentTransport lines;

    /** The sites of the job's relays, in the order of its homes. */
    private final List<String> sites;

    /** Whether another launcher may continue the job. */
    private final boolean isKept;

    private final AllocationRequest request;
    private final long nodeTimeoutNs;
    private final JobStaging staging;
    private final Consumer<String> printer;
    private final Consumer<String> failed;
    private final Exchange exchange = new Exchange();
    private final ProcessAdoption adoption;
    private final HostRing ring;
    private final PendingReleases releases = new PendingReleases();

    // Guarded by this.
    private final NodePlaces places;

    /** Nodes that were asked for slots and have not answered. */
    private final Map<Long, Node> asked = new HashMap<>();

    /** Processes that have ended on their nodes, and after which no other of their ranks was started. */
    private final Map<NodeProcess, Node> ended = new LinkedHashMap<>();

    /** When it last looked for slots. Its first ranks are to be started before it looks for spare ones. */
    private long searchedNs = System.nanoTime() - SEARCH_SPARES_NS + SEARCH_NS;

    /** When spare nodes were told last. Used by the looking thread only. */
    private long toldSpareNs = System.nanoTime() - TELL_SPARE_NS;
    private boolean saidWaiting;
    private boolean isClosed;
    private final Thread looker;

    /**
     * @param sites the sites of the job's relays, in the order of its homes
     * @param homeOf for each rank, the index of its home
     * @param isKept whether another launcher may continue the job
     * @param request where its ranks may be
     * @param spares slots that it keeps free at each of its relays
     * @param nodeTimeoutMs how long an agent may be away before its processes count as lost
     * @param detector how its hosts watch each other
     * @param staging brings the job's files to its relays; closed with this
     * @param printer prints a line for people
     * @param failed takes the reason, in one line, if a process that does not follow cannot be started on its node; the job then ends
     */
    public AgentPool(
            NodeJob job, AgentTransport lines, List<String> sites, int[] homeOf, AllocationRequest request, int spares, long nodeTimeoutMs,
            DetectorRequest detector, boolean isKept,
            JobStaging staging, Consumer<String> printer, Consumer<String> failed) {
        this.job = job;
        this.lines = lines;
        this.sites = List.copyOf(sites);
        this.isKept = isKept;
        this.ring = new HostRing(detector, System.nanoTime());
        this.request = request;
        this.places = new NodePlaces(sites, homeOf, spares, request.mayLeaveHome());
        this.nodeTimeoutNs = TimeUnit.MILLISECONDS.toNanos(nodeTimeoutMs);
        this.staging = staging;
        this.printer = printer;
        this.failed = failed;
        this.adoption = new ProcessAdoption(homeOf, sites, nodeTimeoutNs, this::attach);
        this.looker = Thread.ofVirtual().name("posthouse-nodes").unstarted(this::lookOften);
    }

    /**
     * Adds a node with slots of the job, which were confirmed.
     *
     * @param ranks those whose first processes are to be started there
     * @param followed those whose followers are
     */
    public synchronized void add(int relay, AgentOffer offer, List<Integer> ranks, List<Integer> followed) {
        Node node = new Node(relay, sites.get(relay), offer, ranks.size() + followed.size());
        places.add(node);
        ranks.forEach(rank -> places.prefer(rank, node));
        followed.forEach(rank -> places.preferForFollower(rank, node));
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
                seek(System.nanoTime());
                search(System.nanoTime());
                tellSpare(System.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Gives up the processes of nodes that are gone for too long, and starts processes that wait for a slot. */
    synchronized void look(long nowNs) {
        for (Node node : List.copyOf(places.nodes())) {
            if (node.isGoneFor(nodeTimeoutNs, nowNs)) {
                giveUp(node);
            }
        }
        if (!isClosed) {
            ring.look(nowNs, places.nodes(), this::send);
        }
        placeWaiting();
        if (!places.isAnyWaiting()) {
            saidWaiting = false;
        }
    }

    /** Asks the agents of relays for processes of an earlier launcher. */
    private void seek(long nowNs) {
        List<Integer> relays;
        synchronized (this) {
            relays = adoption.relays();
        }
        for (int relay : relays) {
            List<AgentOffer> offers = lines.nodes(relay);
            synchronized (this) {
                adoption.ask(relay, offers, places.agents());
                adoption.giveUp(relay, offers, nowNs).forEach(process -> process.exited(STATUS_NODE_LOST));
            }
        }
    }

    /** A connection that breaks makes them believe that the launcher is gone. Those that the job has slots of do not listen. */
    private void tellSpare(long nowNs) {
        if (request.job().isEmpty() || nowNs - toldSpareNs < TELL_SPARE_NS) {
            return;
        }
        toldSpareNs = nowNs;
        for (int relay = 0; relay < sites.size(); relay++) {
            List<AgentOffer> joined = JoinedAgents.of(request.job(), lines.nodes(relay));
            synchronized (this) {
                for (AgentOffer offer : joined) {
                    if (!isClosed && !places.isOf(offer.agent())) {
                        AgentMessage waits = JoinedAgents.waits(request.job(), "the job runs; this node is spare");
                        lines.send(relay, AgentEnvelope.of(job.job(), offer.agent(), 0, waits).encode());
                    }
                }
            }
        }
    }

    private void attach(Node node) {
        node.takeReport();
        send(node, new AgentMessage.Attach(job.key()));
    }

    /** An agent has the job: its processes are continued with, except those that have no place any more. */
    private void joined(Node node, List<AgentMessage.AttachedProcess> report) {
        places.add(node);
        for (AgentMessage.AttachedProcess there : report) {
            Optional<NodeProcess> process = adoption.take(there);
            if (process.isPresent()) {
                places.prefer(there.rank(), node);
                places.put(process.get(), node);
                process.get().found(there.out(), there.err());
            } else if (there.state() != AgentMessage.ProcessState.ENDED) {
                kill(node, there);
            }
        }
    }

    private void kill(Node node, AgentMessage.AttachedProcess process) {
        send(node, new AgentMessage.Signal(job.key(), process.rank(), process.incarnation(), AgentMessage.Target.KILL_TREE));
    }

    /** Asks for slots for processes that wait for one: further ones on nodes of the job, and other nodes of the job's relays. */
    private void search(long nowNs) {
        synchronized (this) {
            if (nowNs - searchedNs < (places.isAnyWaiting() ? SEARCH_NS : SEARCH_SPARES_NS)) {
                return;
            }
            searchedNs = nowNs;
        }
        searchNow();
    }

    void searchNow() {
        List<Integer> relays;
        synchronized (this) {
            places.letRoam();
            placeWaiting();
            relays = IntStream.range(0, sites.size()).filter(relay -> places.missingAt(relay) > 0).boxed().toList();
        }
        for (int relay : relays) {
            List<AgentOffer> offers = lines.nodes(relay);
            synchronized (this) {
                askForSlots(relay, offers);
            }
        }
    }

    private void askForSlots(int relay, List<AgentOffer> offers) {
        int wanted = places.missingAt(relay);
        for (Node node : places.nodes()) {
            int missing = node.relay() == relay && node.isUsable() && node.mayGrow() ? places.missingAt(relay, node.host()) : 0;
            if (missing > 0) {
                reserve(node, node.slots() + missing);
            }
        }
        Map<Long, AgentOffer> others = new HashMap<>();
        offers.stream().filter(offer -> !places.isOf(offer.agent())).forEach(offer -> others.put(offer.agent(), offer));
        List<NodeSlots> free = others.values().stream().filter(offer -> offer.free() > 0).map(offer -> NodeSlots.of(offer, sites.get(relay), 0)).toList();
        for (NodeSlots found : NodeAllocation.eligible(NodeOrder.byDistance(free), request)) {
            int slots = Math.min(Math.min(wanted, places.missingAt(relay, found.host())), found.free());
            if (slots > 0) {
                Node candidate = new Node(relay, sites.get(relay), others.get(found.agent()), 0);
                asked.put(found.agent(), candidate);
                reserve(candidate, slots);
                wanted -= slots;
            }
        }
    }

    private void reserve(Node node, int slots) {
        send(node, new AgentMessage.Reserve(job.key(), slots, ReservationRound.TTL_MS, System.getProperty("user.name"), request.job()));
    }

    /** A node has granted slots, of which the job keeps those that it needs. */
    private void reserved(Node node, AgentMessage.Reserved m) {
        boolean isNew = !places.isOf(node.agent());
        int kept = Math.min(m.granted(), node.slots() + places.missingAt(node.relay(), node.host()));
        if (m.granted() == 0 || m.granted() == node.slots()) {
            return;
        }
        if (kept == 0) {
            send(node, new AgentMessage.Release(job.key()));
            return;
        }
        int more = kept - node.slots();
        node.slots(kept);
        places.add(node);
        send(node, new AgentMessage.Confirm(job.key(), kept, job.launcherSeconds()));
        if (more > 0) {
            printer.accept(node + (isNew ? " joins the job with " : " gives the job another ") + more + (more == 1 ? " slot" : " slots"));
        }
        placeWaiting();
    }

    private void placeWaiting() {
        places.waiting().forEach(this::place);
    }

    private void giveUp(Node node) {
        List<NodeProcess> lost = places.giveUp(node);
        String ranks = lost.stream().map(process -> Integer.toString(process.rank())).collect(Collectors.joining(", "));
        String what = request.copies() > 1 ? "processes of ranks " : "ranks ";
        printer.accept(node + " is gone: " + node.whyGone() + (lost.isEmpty() ? "" : "; " + what + ranks + " count as killed"));
        if (!request.job().isEmpty() && !places.hasNode(node.site())) {
            printer.accept("the part of " + node.site() + " has no node with slots of the job any more");
        }
        lost.forEach(process -> process.exited(STATUS_NODE_LOST));
    }

    // ---- starting

    @Override
    public StartedProcess start(ProcessRequest request) throws JobFailure {
        NodeProcess process = NodeProcess.started(request, exchange, isKept);
        synchronized (this) {
            forgetEnded(request.rank());
            place(process);
            if (places.isWaiting(process) && !saidWaiting) {
                saidWaiting = true;
                String who = request.follows() ? "a follower of rank " + request.rank() + " waits for a free slot on another host: "
                        : "rank " + request.rank() + " waits for a free slot: ";
                printer.accept(
                        who + places.nodes().stream().filter(Node::isUsable).count() + " of " + places.nodes().size()
                                + " nodes of the job are there, and all their slots are taken");
            }
        }
        return process;
    }

    /** Another process follows: agents need not keep the ended one of the rank any longer. */
    private void forgetEnded(int rank) {
        ended.entrySet().removeIf(last -> {
            boolean isOver = last.getKey().rank() == rank;
            if (isOver) {
                send(last.getValue(), new AgentMessage.ExitSeen(rank, last.getKey().incarnation()));
            }
            return isOver;
        });
    }

    @Override
    public Optional<StartedProcess> adopt(ProcessRequest request) {
        NodeProcess process = NodeProcess.sought(request, exchange);
        synchronized (this) {
            adoption.seek(process);
        }
        return Optional.of(process);
    }

    private void place(NodeProcess process) {
        Node node = places.place(process);
        if (node != null) {
            sendStart(node, process);
        }
    }

    private void sendStart(Node node, NodeProcess process) {
        ProcessRequest request = process.request();
        TreeMap<String, String> environment = new TreeMap<>(job.environment());
        if (request.follows()) {
            environment.put(Endpoints.FOLLOWER, "1");
        }
        StartSpec spec = new StartSpec(
                job.mainClass(), job.arguments(), job.jvmFlags(), environment, job.classPath(), job.files(), job.workFolder(), "",
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
            case DETECTOR_VERDICT -> onVerdict(DetectorVerdict.decode(frame));
            default -> throw new WireException(CloseReason.NOT_EXPECTED, type + " to a launcher");
        }
    }

    private void onMessage(ByteBuffer frame) throws WireException {
        AgentEnvelope envelope = AgentEnvelope.decode(frame);
        AgentMessage message = envelope.message();
        synchronized (this) {
            Node candidate = asked.get(envelope.agent());
            Node node = places.node(envelope.agent());
            if (envelope.job() != job.job()) {
                return;
            }
            if (message instanceof AgentMessage.Attached attached && attached.slots() == 0) {
                releases.remove(envelope.agent());
            }
            if (node == null && message instanceof AgentMessage.Attached attached) {
                adoption.answered(envelope.agent(), attached).ifPresent(joining -> joined(joining, joining.takeReport()));
                return;
            }
            if (message instanceof AgentMessage.Reserved reserved && (candidate != null || node != null)) {
                asked.remove(envelope.agent());
                reserved(node == null ? candidate : node, reserved);
            } else if (node != null) {
                on(node, message);
            }
        }
    }

    private void on(Node node, AgentMessage message) {
        if (message instanceof AgentMessage.Attached m) {
            if (node.reports(m)) {
                attached(node, node.takeReport());
            }
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
        String who = process.request().follows() ? "a follower of rank " : "rank ";
        (process.request().follows() ? printer : failed).accept(who + m.rank() + " cannot be started on " + node + ": " + m.error());
        places.remove(process);
        process.exited(STATUS_NOT_STARTED);
    }

    /** The agent keeps an ended process until another follows, for a launcher that may come then. */
    private void exited(Node node, AgentMessage.Exited m) {
        NodeProcess process = node.process(m.rank(), m.incarnation());
        if (process != null) {
            places.remove(process);
            ended.put(process, node);
            process.exited(m.status());
        }
    }

    /** The agent has reported its processes on a new connection. */
    private void attached(Node node, List<AgentMessage.AttachedProcess> report) {
        node.back();
        for (AgentMessage.AttachedProcess there : report) {
            boolean isOurs = node.process(there.rank(), there.incarnation()) != null;
            if (!isOurs && there.state() != AgentMessage.ProcessState.ENDED) { // Given up meanwhile: another has its place.
                kill(node, there);
            }
        }
        if (node.isLost()) {
            node.revived();
            printer.accept(node + " is back");
        }
        for (NodeProcess process : node.processes()) {
            boolean isThere = report.stream().anyMatch(it -> it.rank() == process.rank() && it.incarnation() == process.incarnation());
            if (isThere) {
                process.resend();
            } else if (process.isStarted()) {
                places.remove(process);
                process.exited(STATUS_NODE_LOST);
            } else {
                sendStart(node, process);
            }
        }
    }

    /** The relay has no connection of that agent. */
    private synchronized void onGone(AgentGone gone) {
        releases.remove(gone.end());
        Node node = places.node(gone.end());
        if (node != null) {
            node.gone(gone.why(), System.nanoTime());
        }
    }

    /** A relay has found an agent dead, and has fenced it. A job with a detector waits for nothing; another one for its --node-timeout. */
    private synchronized void onVerdict(DetectorVerdict verdict) {
        Node node = places.node(verdict.suspect());
        if (ring.isOn() && verdict.job() == job.job() && verdict.isDead() && node != null && !node.isLost()) {
            node.gone("other hosts have found it silent, and it has not answered its relay", System.nanoTime());
            giveUp(node);
        }
    }

    /** An agent that was gone has come back to its relay. */
    private synchronized void onOffer(AgentOffer offer) {
        Node node = places.node(offer.agent());
        if (node != null) {
            node.offer(offer);
            attach(node);
        }
    }

    /** The launcher's connection to a relay has ended. */
    public synchronized void relayLost(int relay) {
        // A relay that is away is waited for as long as the job waits for it; its agents run on.
        adoption.relayLost(relay);
        for (Node node : places.nodes()) {
            if (node.relay() == relay) {
                node.unheard();
                releases.remove(node.agent());
            }
        }
    }

    /** The launcher is connected to a relay again. */
    public synchronized void relayBack(int relay) {
        staging.again(relay, printer);
        adoption.relayBack(relay, System.nanoTime());
        places.nodes().stream().filter(node -> node.relay() == relay).forEach(this::attach);
    }

    // ---- what processes ask for

    /** Sends for a process to the node where it is. */
    private final class Exchange implements NodeProcess.Agent {
        @Override
        public void kill(NodeProcess process, boolean all) {
            synchronized (AgentPool.this) {
                if (places.cancel(process) || adoption.drop(process)) {
                    process.exited(STATUS_NOT_STARTED);
                    return;
                }
                AgentMessage.Target target = all ? AgentMessage.Target.KILL_TREE : AgentMessage.Target.KILL;
                to(process, new AgentMessage.Signal(job.key(), process.rank(), process.incarnation(), target));
            }
        }

        @Override
        public void taken(NodeProcess process, int stream, OutputPoint upTo) {
            synchronized (AgentPool.this) {
                to(process, new AgentMessage.OutputTaken(process.rank(), process.incarnation(), stream, upTo));
            }
        }

        @Override
        public void input(NodeProcess process, long position, boolean end, byte[] bytes) {
            synchronized (AgentPool.this) {
                to(process, new AgentMessage.Input(process.rank(), process.incarnation(), position, end, ByteBuffer.wrap(bytes)));
            }
        }

        private void to(NodeProcess process, AgentMessage message) {
            Node node = places.of(process);
            if (node != null && node.process(process.rank(), process.incarnation()) == process) {
                send(node, message);
            }
        }
    }

    /** The agents do it, on their nodes. */
    @Override
    public StopWatch limitStops(Supplier<List<? extends StoppedRanks.Watched>> processes, int seconds, Consumer<String> tell) {
        return () -> {};
    }

    /** Agents that have joined the job end with it, spare ones as well. */
    @Override
    public void jobEnded(int status, String why) {
        if (!request.job().isEmpty()) {
            IntStream.range(0, sites.size()).forEach(relay -> JoinedAgents.of(request.job(), lines.nodes(relay)).forEach(
                    agent -> lines.send(relay, AgentEnvelope.of(job.job(), agent.agent(), 0, JoinedAgents.ended(request.job(), status, why)).encode())));
        }
    }

    /**
     * Gives all slots back, and waits until they are free; what still runs there is killed by the agents. Agents that are
     * gone are not waited for.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (isClosed) {
                return;
            }
            isClosed = true;
            looker.interrupt();
            Stream.concat(places.nodes().stream(), adoption.asked().stream()).forEach(this::release);
            staging.close();
        }
        releases.await(RELEASE_MS_MAX);
    }

    /** The answer to ATTACH shows that the agent has handled RELEASE. */
    private void release(Node node) {
        send(node, new AgentMessage.Release(job.key()));
        if (node.isUsable()) {
            releases.add(node.agent());
            send(node, new AgentMessage.Attach(job.key()));
        }
    }
}
