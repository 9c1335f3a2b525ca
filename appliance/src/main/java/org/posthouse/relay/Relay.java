package org.posthouse.relay;

import io.netty.channel.EventLoop;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.internal.ContextInternal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.posthouse.audit.Audit;
import org.posthouse.causes.Causes;
import org.posthouse.core.Job;
import org.posthouse.directory.Directory;
import org.posthouse.directory.RelayEntry;
import org.posthouse.logstore.LogSync;
import org.posthouse.logstore.file.LogException;
import org.posthouse.mpj.channel.LocalSockets;
import org.posthouse.ops.RelayView;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.config.ModeChange;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.io.ByteSink;
import org.posthouse.names.Alarm;
import org.posthouse.names.Leader;
import org.posthouse.names.NameService;
import org.posthouse.relay.names.GridView;
import org.posthouse.relay.names.RelayNames;
import org.posthouse.relay.log.HistoryThreads;
import org.posthouse.relay.log.LogSpace;
import org.posthouse.relay.log.LogSyncer;
import org.posthouse.relay.log.LoggedJob;
import org.posthouse.relay.log.RelayLog;
import org.posthouse.relay.shard.OutputGate;
import org.posthouse.relay.shard.Placement;
import org.posthouse.relay.shard.Shard;
import org.posthouse.relay.shard.Shards;
import org.posthouse.relay.stage.StageCache;
import org.posthouse.relay.threads.Strand;
import org.posthouse.relay.threads.StrandExecutor;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.Welcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One relay: its shards, the connections of its ranks and launchers, its links to other relays, its log and its
 * directory entry. It moves bytes and sets timers; the shards' cores make the decisions.
 *
 * <p>The state of the whole relay (jobs, links, launchers, the mode) is confined to the event loop that the relay was
 * deployed on. Other threads reach it through {@link #control}. The state of a rank belongs to the rank's shard. Any
 * thread may call {@link #view}.
 */
public final class Relay extends VerticleBase {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);

    /** Milliseconds between attempts to open the log while its disk has no room. */
    private static final long OPEN_AGAIN_MS = 500;

    /** Milliseconds between looks at the processes that follow ranks. */
    private static final int FOLLOWERS_MS = 1_000;

    private final RelayConfig config;
    private final Directory directory;

    /** All connections except those refused on arrival because the limit was reached. */
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

    private final UnprovenConnections unprovenConnections;
    private final RefusalLog refusals = new RefusalLog(System::nanoTime, line -> {
        LOG.warn("{}: {}", id(), line);
        Audit.refused(id(), line);
    });
    private final PeerLinks links = new PeerLinks(this);
    private final RelayLog log = new RelayLog();
    private final HistoryThreads historyThreads = HistoryThreads.of(log);
    private final LogSyncer syncer;
    private final BooleanSupplier unwanted;
    private final Jobs jobs = new Jobs(this);
    private final JointJobs joints = new JointJobs(this);
    private final AgentRegistry agents = new AgentRegistry(this);
    private final RankStreams rankStreams = new RankStreams(this);
    private final RelayEvents events;
    private final StageCache stage;
    private final StatusCollector status = new StatusCollector(this);
    private final LauncherAccess launchers;
    private final RelayNames names;
    private final boolean needsNames;
    private EventLoop loop;
    private Strand control;

    /**
     * The relay's epoch, a number that grows with each start. Written by the loop when the log has been read; read by
     * any thread.
     */
    private volatile long epoch;

    /** Why the log cannot be opened yet for want of room; otherwise null. Written by the loop, read by any thread. */
    private volatile String waitsForRoom;

    /** Whether all jobs of the log have been recovered. Written by the loop, read by any thread. */
    private volatile boolean recovered;

    // Written by the loop, at the start and at each change of mode; read by any thread.
    private volatile Placement placement;
    private volatile ModeSwitch moves;
    private Shards shards;
    private RankAcceptor rankAcceptor;

    /** Whether the directory may announce this relay: true from the end of the start to the beginning of the stop. */
    private boolean serving;

    /** Whether the stop has begun; new connections are then refused. */
    private boolean stopping;

    /** Whether the stop is complete, so that loops and threads may end. Written by the loop, read by any thread. */
    private volatile boolean over;

    public Relay(RelayConfig config, Directory directory) {
        this(config, directory, UnaryOperator.identity());
    }

    /** @param disk wraps the log's sync, so that a test can block it */
    public Relay(RelayConfig config, Directory directory, UnaryOperator<Supplier<LogSync>> disk) {
        this(config, directory, disk, () -> false);
    }

    /**
     * @param disk wraps the log's sync, so that a test can block it
     * @param unwanted checked before the log is opened and at each retry while its disk is full; true ends the start
     */
    public Relay(RelayConfig config, Directory directory, UnaryOperator<Supplier<LogSync>> disk, BooleanSupplier unwanted) {
        this(config, directory, directory.names(), false, disk, unwanted);
    }

    /**
     * A relay of a process.
     *
     * @param nameBackEnd the names of its grid; its owner closes it, after the relay
     * @param needsNames whether it is ready only while that answers
     */
    public Relay(RelayConfig config, Directory directory, NameService nameBackEnd, boolean needsNames) {
        this(config, directory, nameBackEnd, needsNames, UnaryOperator.identity(), () -> false);
    }

    private Relay(
            RelayConfig config, Directory directory, NameService nameBackEnd, boolean needsNames, UnaryOperator<Supplier<LogSync>> disk,
            BooleanSupplier unwanted) {
        this.needsNames = needsNames;
        this.unwanted = unwanted;
        this.config = config;
        this.events = new RelayEvents(config.relay(), System::currentTimeMillis);
        this.stage = new StageCache(config.stageFolder(), config.stageBytesMax());
        this.directory = directory;
        this.launchers = new LauncherAccess(config, this::lookUp);
        this.names = new RelayNames(
                nameBackEnd, config.relay(), alarm(), work -> control.submit(work), new GridView(this::members, this::jobRecords, job -> !isKnown(job)),
                events::add);
        directory.ledBy(() -> names.leader().leader().map(Leader::contender));
        this.unprovenConnections = new UnprovenConnections(config.door().newcomersMax(), launchers::users, pause -> rankAcceptor.pause(pause));
        this.syncer = new LogSyncer(disk.apply(log::sync), this::openGates, this::onSyncFailed);
    }

    @Override
    public Future<?> start() {
        loop = ((ContextInternal) context).nettyEventLoop();
        control = new Strand(StrandExecutor.confined(loop), () -> {});
        placement = Placement.of(config.mode(), vertx, loop);
        shards = new Shards(config.relay(), config.core(), config.shards(), placement, historyThreads, this::gate, connections::size);
        rankAcceptor = new RankAcceptor(vertx, loop, placement, this::portTls, this::accept);
        moves = ModeSwitch.none(placement.mode());
        return listen()
                .compose(bound -> openLog())
                .compose(this::recover)
                .compose(done -> links.start())
                .onSuccess(up -> serve())
                .onFailure(cause -> rankAcceptor.close().eventually(this::letGo).eventually(this::closeStage));
    }

    /** Time on the control strand. */
    private Alarm alarm() {
        return new Alarm() {
            @Override
            public void after(long millis, Runnable work) {
                vertx.setTimer(millis, due -> control.submit(work));
            }

            @Override
            public long now() {
                return System.currentTimeMillis();
            }
        };
    }

    /** The relays of the directory, as the elected relay records them. */
    private SortedMap<String, String> members() {
        SortedMap<String, String> members = new TreeMap<>();
        for (RelayEntry entry : directory.relays()) {
            members.put(entry.relay(), "site=" + entry.site() + " address=" + entry.address() + " epoch=" + entry.epoch() + " nodes=" + entry.nodes().nodes()
                    + " slots=" + entry.nodes().slots());
        }
        return members;
    }

    /** On a worker: sorting the ranks of a large grid would hold up the loop. */
    private CompletionStage<Map<String, Map<String, String>>> jobRecords() {
        return vertx.executeBlocking(() -> PostedJobs.records(directory.ranks(), directory.relays()), false).toCompletionStage();
    }

    /** Whether this relay or the directory has a job. @param job in hexadecimal digits */
    private boolean isKnown(String job) {
        long id = Long.parseUnsignedLong(job, 16);
        return jobs.job(id) != null || !directory.ranks(id).isEmpty();
    }

    private void serve() {
        serving = true;
        announce();
        names.start();
        status.start(vertx, placement);
        vertx.setPeriodic(FOLLOWERS_MS, tick -> lookAtFollowers());
        String local = rankAcceptor.local().isEmpty() ? "" : " and " + rankAcceptor.local();
        LOG.info("{}: site {} serves ranks at {}{}, {}", config.relay(), config.site(), address(), local, placement.mode());
    }

    /**
     * Leaves a group that is reached over the links and closes the links. Closes the log when all frames that came over
     * them have been handled.
     *
     * <p>If a group member hangs, leaving may take longer than the supervisor waits before it kills the relay. What the
     * ranks have sent is therefore synced meanwhile.
     */
    private Future<Void> letGo() {
        if (jobs.isAnyLogged()) {
            syncer.want(log.position());
        }
        return vertx.<Void>executeBlocking(() -> {
            directory.part();
            return null;
        })
                .eventually(links::close)
                .eventually(this::shardsDone)
                .eventually(() -> {
                    boolean open = jobs.isAnyLogged();
                    return vertx.executeBlocking(() -> closeLog(open));
                });
    }

    private Future<Void> closeStage() {
        return vertx.executeBlocking(() -> {
            stage.close();
            return null;
        });
    }

    private OutputGate gate() {
        return new OutputGate(log::position, syncer::safe, syncer::want);
    }

    private void openGates() {
        shards.all().forEach(shard -> shard.strand().post(shard::synced));
    }

    private void lookAtFollowers() {
        if (!stopping) {
            shards.each(shard -> shard.lookAtFollowers(log::bytesFrom));
        }
    }

    private void onSyncFailed(String why) {
        control.submit(() -> {
            jobs.failThatSurviveTheHost(why);
            shards.each(shard -> shard.gate().giveUp());
        });
    }

    /** Why the log can no longer be synced to its disk; empty if it can. Thread-safe. */
    Optional<String> syncFailure() {
        return syncer.failure();
    }

    /** Which jobs cannot be logged, and why; empty if all can. Thread-safe. */
    Optional<String> logFailure() {
        return log.failure().map(why -> "no logged jobs: " + why).or(() -> syncFailure().map(why -> "no jobs with --durability host: " + why));
    }

    /**
     * Closes the log. If jobs continue after the restart, the log is synced first, whatever their durability, because
     * the host may be about to lose its power.
     */
    private Void closeLog(boolean jobsGoOn) {
        historyThreads.close();
        if (jobsGoOn && !syncer.await(log.position())) {
            LOG.warn("{}: the log is not safe on its disk: the jobs in it go on unless this host loses its power", id());
        }
        syncer.close();
        return log.close();
    }

    /**
     * The reason why the relay cannot serve yet: recovery of the log, lack of room on its disk, or its ports. The time
     * depends on the log and the disk. Empty once recovered. Thread-safe.
     */
    public Optional<String> recovering() {
        String waits = waitsForRoom;
        if (recovered) {
            return Optional.empty();
        }
        String first = config.logFolder().isPresent() ? "it recovers what is in its log" : "it opens its ports";
        return Optional.of(waits == null ? log.reading().orElse(first) : "it waits for room: " + waits);
    }

    /** Opens the log, if one is configured, and gives the jobs that were open when it was last written. */
    private Future<List<LoggedJob>> openLog() {
        return config.logFolder().map(this::openLog).orElseGet(() -> Future.succeededFuture(List.of()));
    }

    /**
     * Opens the log. If the disk is full and jobs are set to wait for room, the opening waits too. In a process that is
     * about to end it fails at once, because Chronicle's classes could not initialize there.
     */
    private Future<List<LoggedJob>> openLog(Path folder) {
        if (unwanted.getAsBoolean()) {
            return Future.failedFuture(new IOException("interrupted"));
        }
        return vertx.executeBlocking(() -> log.open(
                folder, config.relay(), config.epoch(), config.logLimits(), config.core().sharedBytes(), relief(), syncer))
                .onSuccess(open -> waitsForRoom = null)
                .recover(cause -> cause instanceof LogException why && why.isFull() && config.logLimits().onFull() == LogLimits.OnFull.WAIT
                        ? openLogLater(folder, why)
                        : Future.failedFuture(cause));
    }

    private Future<List<LoggedJob>> openLogLater(Path folder, LogException why) {
        if (waitsForRoom == null) {
            LOG.warn("{}: waits for room: {}", id(), why.getMessage());
        }
        waitsForRoom = why.getMessage();
        return vertx.timer(OPEN_AGAIN_MS, TimeUnit.MILLISECONDS).compose(later -> openLog(folder));
    }

    /** Recovers the jobs of the log before anybody can ask for them. */
    private Future<Void> recover(List<LoggedJob> logged) {
        epoch = log.isOpen() ? log.relayEpoch() : config.epoch();
        links.prepare((ContextInternal) context, config.links().map(settings -> settings.epoch(epoch)));
        return jobs.recover(logged).onSuccess(done -> recovered = true);
    }

    /** Passes requests of the log's thread to the strands of the shards. */
    private LogSpace.Relief relief() {
        return new LogSpace.Relief() {
            @Override
            public void ask(long job, int rank) {
                Shard shard = shards.of(job, rank);
                shard.strand().submit(() -> shard.core().askCheckpoint(job, rank));
                Audit.changed(id(), "rank " + rank + " of job " + Job.hexId(job) + " is asked for a checkpoint, as the log is near its limit");
            }

            @Override
            public void changed(boolean holds, String text) {
                shards.each(shard -> shard.core().roomChanged(holds, text));
            }

            @Override
            public void giveUp(long job, String text) {
                Shard shard = shards.of(job, 0);
                shard.strand().submit(() -> shard.core().failJob(job, CloseReason.LOG_FULL, text));
            }

            @Override
            public void tryAgain() {
                shards.each(Shard::goOnWithRoom);
            }
        };
    }

    private Future<Void> listen() {
        return rankAcceptor
                .listen(config.door().host(), config.door().port())
                .onSuccess(bound -> config.door().local().ifPresent(this::listenLocally))
                .recover(cause -> Future.failedFuture(new IllegalStateException(
                        "relay " + config.relay() + " cannot listen at " + config.door().host() + ":" + config.door().port() + ": "
                                + Causes.text(cause) + "; stop the other program or choose another --listen",
                        cause)));
    }

    private void listenLocally(LocalSockets sockets) {
        if (vertx.isNativeTransportEnabled()) {
            return;
        }
        try {
            rankAcceptor.listen(sockets);
        } catch (IOException e) {
            LOG.warn("{}: ranks of this host come by the port too ({}=off says so): {}", id(), LocalSockets.VARIABLE, e.getMessage());
        }
    }

    /** TLS for connections that are accepted now; empty without keys. Before the links, no key can have changed. */
    private Optional<PortTls> portTls() {
        assert inLoop();
        return config.links().map(settings -> new PortTls(
                links.keysInForce().orElse(settings.keys()), settings.tls().isNative(), settings.timeouts().handshakeMs()));
    }

    /** Registers a new connection. Also called by tests. */
    Connection accept(ByteSink byteSink, StrandExecutor emission) {
        assert inLoop();
        Connection connection = new Connection(this, byteSink, emission);
        untimely().ifPresent(connection::close); // It counts until it has ended.
        boolean full = connections.size() >= config.door().connectionsMax();
        String limit = connections.size() + 1 + " connections, at most " + config.door().connectionsMax();
        if (full && unprovenConnections.isEmpty()) {
            connection.close(CloseNotice.closing(0, CloseReason.LIMIT, limit));
            return connection; // Not counted: nobody can make room for it.
        }
        connections.add(connection);
        unprovenConnections.add(connection);
        if (full) {
            unprovenConnections.makeRoom(limit);
        }
        return connection;
    }

    /** Runs blocking work without waiting behind the log, whose reading may take minutes. */
    private <T> Future<T> lookUp(Callable<T> work) {
        return context.executeBlocking(work, false);
    }

    /**
     * Why no connection is served now; empty if that depends on the client. The text is for strangers too, so it does
     * not name the log's folder.
     */
    private Optional<CloseNotice> untimely() {
        if (stopping) {
            return Optional.of(goodbye());
        }
        return recovering().map(first -> CloseNotice.closing(
                0, CloseReason.RELAY_STARTING, "relay " + id() + " is starting: " + (waitsForRoom == null ? first : "it waits for room")));
    }

    /**
     * Announces this relay's addresses and the number of its ranks in the directory. Confined to the control strand.
     */
    void announce() {
        assert inLoop();
        if (!serving) {
            return;
        }
        directory.announce(new RelayEntry(
                config.site(),
                config.relay(),
                config.door().announced().orElse(address()),
                links.address(),
                config.ops(),
                epoch,
                epoch,
                jobs.ranksHere(),
                agents().totals()));
    }

    private CloseNotice goodbye() {
        return CloseNotice.closing(0, CloseReason.RELAY_STOPPING, "relay " + config.relay());
    }

    /**
     * Stops the relay and ends the jobs that are not logged. Ranks and launchers are disconnected first, links next,
     * and the log is closed last, when no frame can arrive any more. If a step fails, the fault is logged and the other
     * steps still run.
     */
    @Override
    public Future<?> stop() {
        serving = false;
        stopping = true;
        return step(() -> status.stop(vertx))
                .eventually(() -> step(() -> directory.withdraw(config.relay(), epoch)))
                .eventually(() -> step(jobs::stop))
                .eventually(() -> step(jobs::tellAway))
                .eventually(names::close)
                .eventually(this::deafen)
                .eventually(this::shardsDone)
                .eventually(this::letGo)
                .eventually(this::closeStage)
                .otherwise(fault -> {
                    LOG.error("{}: a step of its end failed", id(), fault);
                    return null;
                })
                .onComplete(done -> over = true);
    }

    private static Future<Void> step(Runnable work) {
        return Future.future(done -> {
            work.run();
            done.complete();
        });
    }

    private Future<Void> deafen() {
        Future<Void> deaf = rankAcceptor.close();
        connections.forEach(connection -> connection.stopServing(goodbye()));
        refusals.close();
        return deaf;
    }

    /** Completes when every shard has done all work that was submitted so far. */
    private Future<Void> shardsDone() {
        Promise<Void> done = Promise.promise();
        shards.count(() -> control.submit(done::complete));
        return done.future();
    }

    /**
     * Changes the placement of the work on threads while the relay runs. Shards move at once, and new connections are
     * read in the new mode. Connected ranks are asked to reconnect, each at its next call or when its replay ends.
     * Thread-safe.
     *
     * @return the report, once every rank that was asked has moved or ended, or after {@link ModeSwitch#MS_MAX}
     */
    public Future<ModeChange> switchMode(ModeConfig mode) {
        if (mode.mode() == RelayConfig.Mode.THREADED && vertx.isNativeTransportEnabled()) {
            return Future.failedFuture(new IllegalArgumentException(
                    "mode threaded needs --transport nio: this relay runs on a native transport"));
        }
        Promise<ModeChange> changed = Promise.promise();
        control.post(() -> begin(mode).onComplete(changed));
        return changed.future();
    }

    private Future<ModeChange> begin(ModeConfig mode) {
        assert inLoop();
        Placement next = Placement.of(mode, vertx, loop);
        List<Connection> served = List.copyOf(connections);
        ModeSwitch change = new ModeSwitch(placement.mode(), mode, served.size());
        LOG.info("{}: mode {} from now on, was {}", id(), mode, placement.mode());
        events.add("MODE_CHANGED", "mode " + mode + " from now on, was " + placement.mode());
        moves = change;
        status.onModeChange(next);
        placement = next;
        shards.moveTo(next);
        rankAcceptor.moveTo(next);
        served.forEach(connection -> connection.askMove(change));
        loop.schedule(change::report, ModeSwitch.MS_MAX, TimeUnit.MILLISECONDS);
        return change.done().onSuccess(report -> LOG.info("{}: {}", id(), report));
    }

    /** The newest events, for the console. */
    RelayEvents events() {
        return events;
    }

    /** The change of mode that is in progress, or the last one. */
    ModeSwitch moves() {
        return moves;
    }

    // ---- what the sessions call

    /** The loop that the relay was deployed on. */
    EventLoop loop() {
        return loop;
    }

    /** Whether the calling thread is that of the loop. All work that is confined to the control strand runs on it. */
    boolean inLoop() {
        return loop.inEventLoop();
    }

    /** The strand for the state of the whole relay; it runs on {@link #loop}. */
    public Strand control() {
        return control;
    }

    public Shards shards() {
        return shards;
    }

    /** Confined to the control strand. */
    Jobs jobs() {
        assert inLoop();
        return jobs;
    }

    /** Confined to the control strand. */
    JointJobs joints() {
        assert inLoop();
        return joints;
    }

    /** Confined to the control strand. */
    RankStreams rankStreams() {
        return rankStreams;
    }

    /** Whether this relay is ready only while its names are available. */
    boolean needsNames() {
        return needsNames;
    }

    /** The name service, of which this relay is a front end. */
    public RelayNames names() {
        return names;
    }

    AgentRegistry agents() {
        assert inLoop();
        return agents;
    }

    /** The files that jobs take to their nodes. Thread-safe. */
    StageCache stage() {
        return stage;
    }

    public StatusCollector status() {
        return status;
    }

    RelayConfig settings() {
        return config;
    }

    /** The relay's epoch; 0 until its log has been read. A peer may report a later one before the first link is up. */
    public long epoch() {
        return epoch;
    }

    /** Adopts a later epoch than the relay's clock gave, and announces it. Confined to the control strand. */
    void onEpoch(long next) {
        assert inLoop();
        epoch = next;
        announce();
    }

    /** The current placement of the work on threads. */
    ModeConfig mode() {
        Placement current = placement;
        return current == null ? config.mode() : current.mode();
    }

    public Placement placement() {
        return placement;
    }

    public String id() {
        return config.relay();
    }

    /** Whether the relay has stopped completely. Thread-safe. */
    boolean isOver() {
        return over;
    }

    Set<Connection> connections() {
        return connections;
    }

    /** The connections that are not admitted yet. Thread-safe. */
    UnprovenConnections newcomers() {
        return unprovenConnections;
    }

    /** Decides who may open jobs. Thread-safe. */
    LauncherAccess launchers() {
        return launchers;
    }

    /** Reports connections that are closed for a fault. Thread-safe. */
    public RefusalLog refusals() {
        return refusals;
    }

    /** The reply to a launcher: the relays of the directory, this one first. */
    Welcome welcomeLauncher() {
        assert inLoop();
        return RelayListing.welcome(new HomeRelay(config.site(), config.relay(), address()), jobs.ranksHere(), directory.relays());
    }

    // ---- what others see

    /** The address that ranks and launchers connect to, as host:port. */
    public String address() {
        return HomeRelay.address(config.door().host(), rankAcceptor.port());
    }

    /** The port that other relays dial for links, or 0. */
    public int linkPort() {
        return links.port();
    }

    /** The data that the console shows. Thread-safe. */
    public RelayView view() {
        return status;
    }

    /** The relay's counters so far. Thread-safe: each shard counts in its strand, behind all work that waits there. */
    public Future<ResourceUsage> load() {
        Promise<ResourceUsage> counted = Promise.promise();
        ResourceUsage.of(this, counted::complete);
        return counted.future();
    }

    Directory directory() {
        return directory;
    }

    /** Confined to the control strand. */
    public PeerLinks links() {
        assert inLoop();
        return links;
    }

    RelayLog log() {
        return log;
    }
}
