package org.posthouse.relay;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Job;
import org.posthouse.core.RelayCore;
import org.posthouse.directory.Directory;
import org.posthouse.directory.RankEntry;
import org.posthouse.directory.RelayEntry;
import org.posthouse.ops.RelayView;
import org.posthouse.wire.Home;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Welcome;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * One relay: a core, the connections of its ranks and launchers, its links to other sites, its log and its entry in the
 * directory. It moves bytes and timers and decides nothing; {@link RelayCore} decides.
 *
 * <p>Mode multiplexed: all of it is confined to the one event loop that it was deployed on. {@link #view} may be called
 * from anywhere.
 */
public final class Relay extends VerticleBase {
    private static final Logger LOG = LoggerFactory.getLogger(Relay.class);
    private static final int ACCEPT_BACKLOG = 1_024;

    /** How long a job's opening waits for links to the job's other sites. */
    private static final long CONTACT_TIMEOUT_MS = 8_000;

    private final RelayConfig config;
    private final Directory directory;
    private final Map<Long, Long> jobStarts = new HashMap<>();
    private final Set<Connection> connections = new LinkedHashSet<>();
    private final Map<Reason, Long> refusals = new EnumMap<>(Reason.class);
    private final LinkPort links;
    private final LogJournal journal;
    private RelayCore core;
    private NetServer server;
    private final RelayStatus status = new RelayStatus(this);

    public Relay(RelayConfig config, Directory directory) {
        this.config = config;
        this.directory = directory;
        this.links = new LinkPort(this);
        this.journal = new LogJournal();
    }

    @Override
    public Future<?> start() {
        core = new RelayCore(config.relay(), config.core(), links, opening -> journal.forJob(opening));
        return openLog()
                .compose(opened -> listen())
                .compose(bound -> links.start(context, config.links()))
                .onSuccess(up -> serve())
                .onFailure(cause -> letGo());
    }

    private void serve() {
        announce();
        status.start(vertx);
        LOG.info("{}: site {} serves ranks at {}", config.relay(), config.site(), address());
    }

    /** Closes the links and then the log, which nothing may be appended to any more. */
    private Future<Void> letGo() {
        return links.close().eventually(() -> vertx.executeBlocking(journal::close));
    }

    private Future<Void> openLog() {
        return config.logFolder()
                .map(folder -> vertx.executeBlocking(() -> journal.open(folder)).<Void>mapEmpty())
                .orElseGet(Future::succeededFuture);
    }

    private Future<NetServer> listen() {
        NetServerOptions options = new NetServerOptions()
                .setHost(config.host())
                .setPort(config.port())
                .setAcceptBacklog(ACCEPT_BACKLOG)
                .setTcpKeepAlive(true)
                .setTcpNoDelay(true);
        server = vertx.createNetServer(options).connectHandler(this::accept);
        return server.listen()
                .recover(cause -> Future.failedFuture(new IllegalStateException(
                        "relay " + config.relay() + " cannot listen at " + config.host() + ":" + config.port() + ": "
                                + cause.getMessage(),
                        cause)));
    }

    private void accept(NetSocket socket) {
        Connection connection = Connection.accept(this, vertx, socket);
        connections.add(connection);
        if (connections.size() > config.connectionsMax()) {
            connection
                    .socket()
                    .close(Notice.closing(0, Reason.LIMIT, connections.size() + " connections, at most " + config.connectionsMax()));
        }
    }

    private void announce() {
        directory.announce(new RelayEntry(config.site(), config.relay(), address(), links.address(), config.ops(), config.epoch(), config.epoch()));
    }

    @Override
    public Future<?> stop() {
        status.stop(vertx);
        directory.withdraw(config.relay(), config.epoch());
        for (Job job : List.copyOf(core.jobs())) {
            closeJob(job.id(), new Notice(job.id(), 1, -1, "relay " + config.relay() + " is stopping"));
        }
        Notice why = Notice.closing(0, Reason.RELAY_STOPPING, "relay " + config.relay());
        for (Connection connection : List.copyOf(connections)) {
            connection.socket().close(why);
        }
        return server.close().eventually(this::letGo);
    }

    // ---- what the sessions call

    RelayCore core() {
        return core;
    }

    RelayConfig settings() {
        return config;
    }

    String id() {
        return config.relay();
    }

    Set<Connection> connections() {
        return connections;
    }

    void cancelTimer(long timer) {
        vertx.cancelTimer(timer);
    }

    void refused(Reason reason) {
        refusals.merge(reason, 1L, Long::sum);
    }

    /** What a launcher is told: every relay of the directory, this one first. */
    Welcome welcomeLauncher() {
        List<Home> homes = new ArrayList<>();
        homes.add(new Home(config.site(), config.relay(), address()));
        for (RelayEntry entry : directory.relays()) {
            if (!entry.relay().equals(config.relay())) {
                homes.add(new Home(entry.site(), entry.relay(), entry.address()));
            }
        }
        return new Welcome(0, 0, 0, 0, 0, 0, List.of(), 0, homes, new int[0]);
    }

    /** Waits for contact with these sites. */
    Future<Void> contacted(Collection<String> sites) {
        return links.contacted(sites, CONTACT_TIMEOUT_MS);
    }

    void onJobOpened(Job job) {
        jobStarts.put(job.id(), System.currentTimeMillis());
        LOG.info("{}: {} of {} ranks opened, {} of them here", id(), job, job.size(), job.homedRanks().size());
        directory.putRanks(job.homedRanks().stream().map(this::entry).toList());
    }

    void onJobEvent(JobEvent event) {
        Job job = core.job(event.job());
        LOG.atLevel(event.kind() == JobEvent.REFUSED ? Level.WARN : Level.INFO)
                .log("{}: job {} rank {}: event {} {}", id(), Job.hexId(event.job()), event.rank(), event.kind(), event.text());
        if (job != null && event.rank() >= 0) {
            job.homedRanks().stream()
                    .filter(rank -> rank.rank() == event.rank())
                    .map(this::entry)
                    .findFirst()
                    .ifPresent(entry -> directory.putRanks(List.of(entry)));
        }
    }

    private RankEntry entry(HomedRank rank) {
        return new RankEntry(
                rank.job().id(), rank.rank(), config.site(), config.relay(), rank.incarnation(), rank.state().name());
    }

    void closeJob(long job, Notice why) {
        LOG.info("{}: job {} closed: status {} {}", id(), Job.hexId(job), why.code(), why.text());
        Job closing = core.job(job);
        if (closing != null) {
            status.onJobClosing(closing, why.code() == 0);
        }
        core.closeJob(job, why);
        jobStarts.remove(job);
        status.refresh();
        directory.removeJob(job);
    }

    // ---- what others see

    /** The address that ranks and launchers connect to, as host:port. */
    public String address() {
        return config.host() + ":" + server.actualPort();
    }

    /** The link port that other sites dial, or 0. */
    public int linkPort() {
        return links.port();
    }

    /** What the console shows. Thread-safe. */
    public RelayView view() {
        return status;
    }

    /** What this relay has done so far. Thread-safe: it is counted on the event loop, behind all that waits there. */
    Future<RelayLoad> load() {
        Promise<RelayLoad> counted = Promise.promise();
        context.runOnContext(turn -> counted.complete(RelayLoad.of(this)));
        return counted.future();
    }

    Directory directory() {
        return directory;
    }

    /** When the job was opened here, in milliseconds since 1970. */
    long startOf(Job job) {
        return jobStarts.getOrDefault(job.id(), 0L);
    }

    LinkPort links() {
        return links;
    }

    LogJournal journal() {
        return journal;
    }
}
