package org.posthouse.launch.agent;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.posthouse.launch.reserve.SlotLedger;
import org.posthouse.launch.stage.ContentStore;
import org.posthouse.launch.stage.JobFolders;
import org.posthouse.mpj.channel.UnprovenRelayException;
import org.posthouse.wire.AgentDrain;
import org.posthouse.wire.AgentEnd;
import org.posthouse.wire.AgentEnvelope;
import org.posthouse.wire.AgentGone;
import org.posthouse.wire.AgentMessage;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.AgentPing;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.DetectorCheck;
import org.posthouse.wire.DetectorVerdict;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Gossip;
import org.posthouse.wire.JobCheck;
import org.posthouse.wire.StageAnswer;
import org.posthouse.wire.StageData;
import org.posthouse.wire.WireException;

/**
 * An agent: offers this host's slots at its relay, and runs processes of ranks for launchers. It dials its relay and
 * opens no port. A broken connection is made again; the processes run on meanwhile. All its state is confined to one
 * thread.
 */
public final class Agent implements AutoCloseable {
    private static final long PING_MS = 5_000;
    private static final long TICK_MS = 200;
    private static final int PINGS_USUAL = 8;
    private static final long DISK_SECONDS = 20;
    private static final long REDIAL_FIRST_MS = 100;
    private static final long REDIAL_LAST_MS = 2_000;

    /** Reasons with which a relay refuses an agent that is not to come again as it is. */
    private static final Set<CloseReason> REFUSALS =
            EnumSet.of(CloseReason.WRONG_TOKEN, CloseReason.WRONG_VERSION, CloseReason.MALFORMED_FRAME, CloseReason.NOT_EXPECTED);

    private static final long MEMORY_BYTES = memoryBytes();

    /** Begins the line that it prints when a relay has let it in. */
    public static final String CONNECTED = "connected to the relay at ";

    private final AgentSettings settings;
    private final String version;
    private final Consumer<String> printer;
    private final long number = nonZero(new SecureRandom());
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "posthouse-agent");
        made.setDaemon(true);
        return made;
    });
    private final CountDownLatch over = new CountDownLatch(1);

    /** Written by the agent's thread before {@link #over} opens, read by the one that runs; null if the agent was asked to end. */
    private volatile String failure;

    /** Of the process. Written by the agent's thread before {@link #over} opens, read by the one that runs. */
    private volatile int status;

    /** Works on the disk, in order. */
    private final ExecutorService disk = Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("posthouse-agent-disk").factory());

    private final ContentStore store;
    private final JobFolders folders;
    private final ContentFetcher fetcher;

    // Confined to the thread.
    private final Map<Long, AgentJob> jobs = new HashMap<>();

    /** Failure detectors of jobs that have one. */
    private final Map<Long, AgentDetector> detectors = new HashMap<>();
    private final Deque<Long> roundTripsUs = new ArrayDeque<>();
    private final Map<Long, Long> pingsNs = new TreeMap<>();
    private final SlotLedger ledger;

    /** Empty unless the agent ends with a job. */
    private final Optional<JobMembership> membership;

    private AgentConnection connection;
    private boolean wasConnected;
    private long pings;
    private long redialMs = REDIAL_FIRST_MS;
    private AgentOffer offered;
    private boolean saidLost;

    /** Whether it ends as soon as it has no job. */
    private boolean endsIdle;

    /**
     * Takes the folder of the agent, and removes what an earlier agent has left of its jobs there.
     *
     * @param version of the product, for people
     * @param printer prints a line for people
     * @throws IOException in one line, if the folder cannot be used, or another process uses it
     */
    public Agent(AgentSettings settings, String version, Consumer<String> printer) throws IOException {
        this.settings = settings;
        this.version = version;
        this.printer = printer;
        this.ledger = new SlotLedger(settings.limits(), settings.users(), settings.job());
        this.membership = settings.joinMs() == 0
                ? Optional.empty()
                : Optional.of(new JobMembership(settings.job(), TimeUnit.MILLISECONDS.toNanos(settings.joinMs()), System.nanoTime()));
        this.folders = JobFolders.open(settings.folder().resolve("jobs"));
        this.store = ContentStore.open(settings.folder().resolve("cas"), settings.stageBytes());
        this.fetcher = new ContentFetcher(store, this::execute, this::onDisk, this::send);
    }

    /**
     * Serves until {@link #close}, until the job that it has joined ends, or until the relay refuses the agent.
     *
     * @return status of the process: that of the job that it has joined; else 0
     * @throws IOException in one line, if the relay refuses the agent, or has never been one
     */
    public int run() throws IOException, InterruptedException {
        execute(this::dial);
        thread.scheduleAtFixedRate(guarded(this::tick), TICK_MS, TICK_MS, TimeUnit.MILLISECONDS);
        thread.scheduleAtFixedRate(guarded(this::ping), PING_MS, PING_MS, TimeUnit.MILLISECONDS);
        over.await();
        CountDownLatch ended = new CountDownLatch(1);
        execute(() -> {
            endAll();
            ended.countDown();
        });
        ended.await();
        thread.shutdownNow();
        disk.shutdown();
        if (!disk.awaitTermination(DISK_SECONDS, TimeUnit.SECONDS)) {
            printer.accept("the folder " + settings.folder() + " is still written to after " + DISK_SECONDS + " s");
        }
        store.close();
        folders.close();
        if (failure != null) {
            throw new IOException(failure);
        }
        return status;
    }

    /** Ends the agent: {@link #run} kills all that it runs, and returns. Any thread may call it. */
    @Override
    public void close() {
        over.countDown();
    }

    private void end(JobMembership.End end) {
        printer.accept(end.line());
        status = end.status();
        close();
    }

    private void fail(String why) {
        failure = why;
        over.countDown();
    }

    private void onDisk(Runnable task) {
        try {
            disk.execute(guarded(task));
        } catch (RejectedExecutionException e) {
            assert disk.isShutdown(); // The agent has ended.
        }
    }

    private void execute(Runnable task) {
        try {
            thread.execute(guarded(task));
        } catch (RejectedExecutionException e) {
            // The agent has ended, and with it all that the task is about.
        }
    }

    /** A fault of the agent ends it: its processes must not run on unwatched. */
    private Runnable guarded(Runnable task) {
        return () -> {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                fail("the agent has a fault: " + e);
                throw e;
            }
        };
    }

    // ---- the connection

    /** Dials on a thread of its own, because that blocks. */
    private void dial() {
        Thread.ofVirtual().name("posthouse-agent-dial").start(() -> {
            try {
                AgentConnection made = AgentConnection.connect(settings, new AgentConnection.Listener() {
                    @Override
                    public void onFrame(AgentConnection from, FrameType type, ByteBuffer frame) {
                        execute(() -> Agent.this.onFrame(from, type, frame));
                    }

                    @Override
                    public void onLost(AgentConnection from, String why, CloseNotice notice) {
                        execute(() -> lost(from, why, notice));
                    }
                });
                execute(() -> connected(made));
            } catch (UnprovenRelayException e) {
                execute(() -> refused(e.getMessage()));
            } catch (IOException e) {
                execute(() -> unreachable(e.getMessage()));
            }
        });
    }

    private void connected(AgentConnection made) {
        connection = made;
        pingsNs.clear();
        offered = null;
        offer();
        ping();
        fetcher.connected();
        made.end().ifPresent(end -> lost(made, end.why(), end.notice())); // It was lost before it was known here.
    }

    /** Another process may stand where the relay was, for a while; one that never was the relay is a mistake. */
    private void refused(String why) {
        if (wasConnected) {
            unreachable(why);
        } else {
            fail(why);
        }
    }

    private void unreachable(String why) {
        if (!saidLost) {
            printer.accept(why + "; it is dialled again until it answers");
            saidLost = true;
        }
        redial();
    }

    private void redial() {
        if (over.getCount() > 0) {
            thread.schedule(guarded(this::dial), redialMs, TimeUnit.MILLISECONDS);
            redialMs = Math.min(2 * redialMs, REDIAL_LAST_MS);
        }
    }

    private void lost(AgentConnection from, String why, CloseNotice notice) {
        if (from != connection) {
            return;
        }
        from.close();
        connection = null;
        jobs.values().forEach(job -> gone(job));
        membership.ifPresent(it -> it.relayLost(System.nanoTime()));
        boolean isRefused = notice != null && REFUSALS.contains(notice.reason());
        if (isRefused && !wasConnected) {
            fail("the relay at " + settings.relay() + " refuses this agent: " + why);
            return;
        }
        if (!saidLost) {
            printer.accept("the connection to the relay at " + settings.relay() + " is lost: " + why + "; it is dialled again until it answers");
            saidLost = true;
        }
        redial();
    }

    /** The first answer after HELLO shows that the relay has let the agent in. */
    private void welcomed() {
        redialMs = REDIAL_FIRST_MS;
        if (!wasConnected || saidLost) {
            printer.accept((wasConnected ? "connected again to the relay at " : CONNECTED) + settings.relay());
        }
        wasConnected = true;
        saidLost = false;
        membership.ifPresent(it -> it.relayBack(System.nanoTime()));
    }

    private void send(ByteBuffer frame) {
        if (connection != null) {
            connection.send(frame);
        }
    }

    private void mail(long job, long launcher, AgentMessage message) {
        send(AgentEnvelope.of(job, number, launcher, message).encode());
    }

    // ---- what is offered

    private void offer() {
        AgentOffer next = new AgentOffer(
                number, settings.name(), settings.host(), settings.limits().slotsInAll(), ledger.free(), settings.limits().jobs(), ledger.jobs(),
                Runtime.getRuntime().availableProcessors(),
                MEMORY_BYTES, usualUs(), ledger.isDraining(), version, new TreeMap<>(settings.labels()));
        if (!next.equals(offered)) {
            offered = next;
            send(next.encode());
        }
    }

    private void ping() {
        if (connection != null) {
            pingsNs.put(++pings, System.nanoTime());
            send(new AgentPing(pings).encode(FrameType.AGENT_PING));
            jobs.values().stream().filter(job -> job.hasBegun() && !job.hasLauncher()).forEach(job -> send(new JobCheck(job.id(), false).encode()));
        }
    }

    /**
     * The relay has no job that has no launcher either: it has ended while the agent was away. A job whose files are still
     * staged is not open at the relay yet.
     */
    private void checked(JobCheck answer) {
        AgentJob job = jobs.get(answer.job());
        if (job != null && !answer.isOpen() && job.hasBegun() && !job.hasLauncher()) {
            printer.accept("job " + HexFormat.of().toHexDigits(job.id()) + " has ended: its processes here are killed");
            end(job);
            membership.flatMap(JobMembership::abandoned).ifPresent(this::end);
        }
    }

    private void pong(long ping) {
        Long sentNs = pingsNs.remove(ping);
        if (sentNs != null) {
            roundTripsUs.add(TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - sentNs));
            if (roundTripsUs.size() > PINGS_USUAL) {
                roundTripsUs.remove();
            }
            offer();
        }
    }

    /** The median of the last round trips; 0 before the first. */
    private long usualUs() {
        List<Long> sorted = roundTripsUs.stream().sorted().toList();
        return sorted.isEmpty() ? 0 : sorted.get(sorted.size() / 2);
    }

    // ---- frames

    private void onFrame(AgentConnection from, FrameType type, ByteBuffer frame) {
        if (from != connection) {
            return;
        }
        welcomed();
        try {
            switch (type) {
                case AGENT_MESSAGE -> onMessage(AgentEnvelope.decode(frame));
                case AGENT_GONE -> onGone(AgentGone.decode(frame).end());
                case JOB_CHECK -> checked(JobCheck.decode(frame));
                case AGENT_END -> ordered(AgentEnd.decode(frame));
                case AGENT_DRAIN -> {
                    ledger.drain(AgentDrain.decode(frame).drain());
                    offer();
                }
                case WELCOME -> {} // The relay has let the agent in; what it knows of other relays is for launchers.
                case STAGE_ANSWER -> fetcher.onAnswer(StageAnswer.decode(frame));
                case STAGE_DATA -> fetcher.onData(StageData.decode(frame));
                case GOSSIP -> onGossip(Gossip.decode(frame));
                case DETECTOR_VERDICT -> onVerdict(DetectorVerdict.decode(frame));
                case DETECTOR_CHECK -> send(DetectorCheck.decode(frame).encode());
                case AGENT_PONG -> pong(AgentPing.decode(frame).number());
                default -> throw new WireException(CloseReason.NOT_EXPECTED, type + " from a relay to an agent");
            }
        } catch (WireException e) {
            printer.accept("a frame of the relay, or of a launcher behind it, is refused: " + e.getMessage());
        }
    }

    private void onGossip(Gossip gossip) throws WireException {
        AgentDetector detector = detectors.get(gossip.job());
        if (detector != null) {
            detector.onGossip(gossip);
        }
    }

    private void onVerdict(DetectorVerdict verdict) {
        AgentDetector detector = detectors.get(verdict.job());
        if (detector != null) {
            detector.onVerdict(verdict);
        }
    }

    private void detect(AgentJob job, AgentMessage.Detect view) throws WireException {
        detectors.computeIfAbsent(
                job.id(), id -> new AgentDetector(id, this::send, (nanos, task) -> thread.schedule(guarded(task), nanos, TimeUnit.NANOSECONDS)))
                .onView(view, TimeUnit.MICROSECONDS.toNanos(usualUs()));
    }

    private void ordered(AgentEnd order) {
        ledger.drain(true);
        endsIdle = true;
        printer.accept("ends by order" + (order.now() || jobs.isEmpty() ? "" : ", when its last job has left"));
        if (order.now()) {
            close();
        } else {
            tick();
        }
    }

    private void onMessage(AgentEnvelope envelope) throws WireException {
        AgentMessage message = envelope.message();
        AgentJob job = jobs.get(envelope.job());
        if (message instanceof AgentMessage.Reserve m) {
            reserve(envelope, m, job);
        } else if (message instanceof AgentMessage.Attach m) {
            attach(envelope, m, job);
        } else if (message instanceof AgentMessage.JobWaits m) {
            membership.flatMap(it -> it.waits(m.name(), envelope.launcher(), m.text())).ifPresent(printer);
        } else if (message instanceof AgentMessage.JobEnded m) {
            onJobEnded(envelope, m);
        } else if (job == null || job.launcher() != envelope.launcher()) {
            // Of a job that has ended here, or of a connection that has not shown the key.
            return;
        } else if (message instanceof AgentMessage.Confirm m) {
            int kept = ledger.confirm(job.id(), m.key(), m.slots(), System.nanoTime());
            job.confirmed(m.launcherTimeoutS());
            if (kept > 0) { // Else the time was over, and the job does not run here.
                membership.ifPresent(JobMembership::confirmed);
            }
            offer();
        } else if (message instanceof AgentMessage.Release) {
            end(job);
            membership.ifPresent(it -> it.released(envelope.launcher()));
        } else if (message instanceof AgentMessage.Detect m) {
            detect(job, m);
        } else {
            job.on(message);
        }
    }

    /** While a job has slots here, only its own launcher can end it. */
    private void onJobEnded(AgentEnvelope envelope, AgentMessage.JobEnded m) {
        if (jobs.values().stream().allMatch(job -> job.id() == envelope.job() && job.launcher() == envelope.launcher())) {
            membership.flatMap(it -> it.ended(m.name(), envelope.launcher(), m.status(), m.text())).ifPresent(this::end);
        }
    }

    private void reserve(AgentEnvelope envelope, AgentMessage.Reserve m, AgentJob present) {
        AgentMessage.Reserved answer = ledger.reserve(envelope.job(), m, System.nanoTime());
        if (answer.granted() > 0) {
            AgentJob job = present;
            if (job == null) {
                job = new AgentJob(
                        HexFormat.of().toHexDigits(number), envelope.job(), m.key(), this::mail, this::execute,
                        new NodeFiles(folders, envelope.job(), fetcher, this::execute, this::onDisk, settings.stageBytes()), settings.relay(),
                        connection.isDirect());
                jobs.put(job.id(), job);
            }
            job.launcher(envelope.launcher());
        }
        mail(envelope.job(), envelope.launcher(), answer);
        offer();
    }

    private void attach(AgentEnvelope envelope, AgentMessage.Attach m, AgentJob job) {
        if (job == null || !job.key().matches(m.key())) {
            mail(envelope.job(), envelope.launcher(), new AgentMessage.Attached(0, false, List.of()));
        } else {
            job.launcher(envelope.launcher());
            job.attach(ledger.slotsOf(job.id()));
        }
    }

    private void onGone(long launcher) {
        membership.ifPresent(it -> it.launcherGone(launcher, System.nanoTime()));
        jobs.values().stream().filter(job -> job.launcher() == launcher).forEach(this::gone);
    }

    private void gone(AgentJob job) {
        job.launcherGone(System.nanoTime());
    }

    /** Ends what was not confirmed, or has had no launcher for too long. */
    private void tick() {
        long nowNs = System.nanoTime();
        ledger.expire(nowNs);
        fetcher.tick(nowNs);
        for (AgentJob job : List.copyOf(jobs.values())) {
            if (ledger.slotsOf(job.id()) == 0) {
                end(job);
            } else if (job.isAbandoned(nowNs)) {
                printer.accept(
                        "job " + HexFormat.of().toHexDigits(job.id()) + " has had no launcher for " + job.launcherSeconds() + " s: its processes are killed");
                end(job);
                membership.flatMap(JobMembership::abandoned).ifPresent(this::end);
            }
        }
        offer();
        membership.flatMap(it -> it.tick(nowNs)).ifPresent(this::end);
        if (endsIdle && jobs.isEmpty()) {
            close();
        }
    }

    private void end(AgentJob job) {
        job.end();
        jobs.remove(job.id());
        Optional.ofNullable(detectors.remove(job.id())).ifPresent(AgentDetector::close);
        ledger.release(job.id(), job.key());
        offer();
    }

    private void endAll() {
        List.copyOf(jobs.values()).forEach(this::end);
        if (connection != null) {
            connection.leave();
        }
    }

    /** The host's identity: agents of one host have the same. */
    public static String hostId() {
        try {
            String id = Files.readString(Path.of("/etc/machine-id")).strip();
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(id.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, 8);
        } catch (IOException e) {
            return hostName(); // Not on every system.
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** The host's name, without its domain. */
    public static String hostName() {
        try {
            String name = InetAddress.getLocalHost().getHostName();
            int dot = name.indexOf('.');
            return dot > 0 ? name.substring(0, dot) : name;
        } catch (UnknownHostException e) {
            return "node"; // Of a host whose own name is in no table.
        }
    }

    private static long memoryBytes() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof com.sun.management.OperatingSystemMXBean system ? system.getTotalMemorySize() : 0;
    }

    private static long nonZero(SecureRandom random) {
        long drawn = random.nextLong();
        return drawn == 0 ? 1 : drawn;
    }
}
