package org.posthouse.relay.host;

import com.sun.management.UnixOperatingSystemMXBean;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.posthouse.causes.Causes;
import org.posthouse.directory.Directory;
import org.posthouse.directory.GroupConfig;
import org.posthouse.directory.HazelcastDirectory;
import org.posthouse.directory.LateDirectory;
import org.posthouse.directory.RelayEntry;
import org.posthouse.names.NameService;
import org.posthouse.ops.OpsConfig;
import org.posthouse.ops.OpsMetrics;
import org.posthouse.ops.OpsServer;
import org.posthouse.ops.trace.ControlTraces;
import org.posthouse.relay.Relay;
import org.posthouse.relay.config.EventLoopKind;
import org.posthouse.relay.config.NamesConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.threads.BlockedThreadReporter;
import org.posthouse.relay.threads.BlockingWaits;
import org.posthouse.relay.threads.FatalErrorExit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A process that is one relay: the relay, its group member, and its console. The process's main thread starts and
 * closes it; both block.
 */
public final class RelayHost implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RelayHost.class);

    /** Seconds that a step of the start may take, without the steps that depend on the size of the log. */
    private static final long START_SECONDS = 60;

    /** Seconds between messages about a slow start. */
    private static final long TELL_SECONDS = 10;

    /** Milliseconds between two looks at the relay's events for its traces. */
    private static final long TRACES_MS = 1_000;

    /** Milliseconds that joining the group waits for links to the relays that this one dials. */
    private static final long LINKED_MS_MAX = 3_000;

    private final OpsMetrics metrics;
    private final Vertx vertx;
    private Directory directory;
    private NameService names;
    private OpsServer ops;
    private Optional<ControlTraces> traces = Optional.empty();
    private Relay relay;
    private String deployment;
    private boolean closed;

    private RelayHost(RelayConfig config, EventLoopKind kind) {
        FatalErrorExit.prepare();
        metrics = OpsMetrics.create();
        int loops = Math.max(VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE, 1 + config.mode().loopsUsed());
        vertx = BlockedThreadReporter.watch(metrics.vertx(RelayVertx.options().setEventLoopPoolSize(loops), kind.transport()));
    }

    /**
     * Joins the group, opens the console and then the relay's own ports.
     *
     * @param names what keeps its names
     * @param traces the collector of its traces ({@link ControlTraces#endpoint}); empty: it makes none
     * @param answers whether a relay of the directory is up and is the one that it claims to be; may block
     * @throws IOException in one line, if the start fails. Examples: a port is in use, the log is damaged, or a relay
     *     of this name is up in the group
     */
    public static RelayHost start(
            RelayConfig config, EventLoopKind kind, GroupConfig group, NamesConfig names, OpsConfig console, Optional<URI> traces,
            Predicate<RelayEntry> answers)
            throws IOException {
        tooFewFiles(config, mayOpen()).ifPresent(LOG::warn);
        RelayHost host = new RelayHost(config, kind);
        try {
            Optional<LateDirectory> late = host.openDirectory(config, group, answers);
            host.names = names.open(host.directory.names());
            host.relay = new Relay(config.after(host.directory.epoch(config.relay())), host.directory, host.names, names.isRequired());
            host.traces = traces.map(collector -> ControlTraces.start(collector, host.relay.view(), TRACES_MS));
            host.ops = BlockingWaits.await(
                    OpsServer.start(host.vertx, ConsoleAccess.audited(console, () -> host.relay, host::traceOrder), host.relay.view(), host.metrics.registry()),
                    START_SECONDS);
            host.deployment = awaitServing(
                    host.vertx.deployVerticle(host.relay, new DeploymentOptions()),
                    host.relay::recovering,
                    (int) (START_SECONDS / TELL_SECONDS),
                    TimeUnit.SECONDS.toMillis(TELL_SECONDS));
            if (late.isPresent()) {
                host.joinOverLinks(config, late.get());
            }
            return host;
        } catch (IOException | RuntimeException e) {
            host.close();
            throw e;
        }
    }

    private void traceOrder(String who, String what) {
        traces.ifPresent(collector -> collector.ordered(who, what));
    }

    /** The system's limit of open files of this process; unlimited where it is not known. */
    private static long mayOpen() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system ? system.getMaxFileDescriptorCount() : Long.MAX_VALUE;
    }

    /** A warning if the process may open fewer files than its relay may need. */
    static Optional<String> tooFewFiles(RelayConfig config, long most) {
        return most >= config.filesMax() ? Optional.empty()
                : Optional.of(String.format(Locale.ROOT,
                        "relay %s may have %,d files open (ulimit -n), and by its limits it may come to need %,d: past that ranks and relays wait to be let in, and logged"
                                + " jobs stand still or end; raise it (ulimit -n %d, LimitNOFILE=, docker run --ulimit) and start the relay again",
                        config.relay(), most, config.filesMax(), config.filesMax()));
    }

    /**
     * Joins the group, unless it is reached over links, which do not exist yet. The returned directory is then joined
     * later. In that case the group's port, which belongs to the relay's name, reveals a namesake on this host. The
     * epoch reveals one on another host.
     */
    private Optional<LateDirectory> openDirectory(RelayConfig config, GroupConfig group, Predicate<RelayEntry> answers)
            throws IOException {
        if (config.links().flatMap(links -> links.forwards().loopback()).isPresent()) {
            LateDirectory late = new LateDirectory(group);
            directory = late;
            return Optional.of(late);
        }
        directory = HazelcastDirectory.start(group);
        DuplicateRelayProbe.refuse(config.relay(), directory, answers);
        return Optional.empty();
    }

    /** Joins the group. Members that are not linked by then are found when they are. */
    private void joinOverLinks(RelayConfig config, LateDirectory late) throws IOException {
        Set<String> peers = config.links().orElseThrow().peers().keySet();
        Promise<Void> linked = Promise.promise();
        relay.control().post(() -> relay.links().contacted(peers, LINKED_MS_MAX).onComplete(any -> linked.complete()));
        BlockingWaits.await(linked.future(), START_SECONDS);
        late.join();
        DuplicateRelayProbe.later(relay.id(), relay.epoch(), late).ifPresent(LOG::warn);
    }

    /**
     * Waits for a deployment. Fails after {@code timesMax} waits in a row in which {@code doing} was empty.
     *
     * @param doing the slow work of the relay, which is logged after each wait; empty if there is none
     */
    static String awaitServing(Future<String> deployed, Supplier<Optional<String>> doing, int timesMax, long millis) throws IOException {
        int idle = 0;
        while (true) {
            try {
                return deployed.await(millis, TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                Optional<String> now = doing.get();
                now.ifPresent(what -> LOG.warn("not ready yet: {}", what));
                idle = now.isPresent() ? 0 : idle + 1;
                if (idle == timesMax) {
                    throw new IOException("the relay does not serve after " + TimeUnit.MILLISECONDS.toSeconds(timesMax * millis) + " s", e);
                }
            } catch (Exception | LinkageError e) {
                throw new IOException(Causes.text(e), e);
            }
        }
    }

    public Relay relay() {
        return relay;
    }

    public int consolePort() {
        return ops.port();
    }

    /** Closes once. A second call, for instance from a shutdown hook, waits for the first and does nothing. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        if (deployment != null) {
            vertx.undeploy(deployment).await();
        }
        if (ops != null) {
            ops.close().await();
        }
        traces.ifPresent(ControlTraces::close);
        vertx.close().await();
        metrics.close();
        if (names != null) {
            names.close(); // Those of the group may be closed twice.
        }
        if (directory != null) {
            directory.close();
        }
    }
}
