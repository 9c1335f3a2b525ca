package org.posthouse.relay.host;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.keys.GridAuthority;
import org.posthouse.keys.RelayId;
import org.posthouse.keys.SiteKeys;
import org.posthouse.logstore.LogSync;
import org.posthouse.logstore.file.TemporaryFolder;
import org.posthouse.mpj.channel.LocalSockets;
import org.posthouse.ops.RelayView;
import org.posthouse.relay.Relay;
import org.posthouse.relay.ResourceUsage;
import org.posthouse.relay.config.EventLoopKind;
import org.posthouse.relay.config.LogLimits;
import org.posthouse.relay.config.ModeChange;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.relay.threads.BlockedThreadReporter;
import org.posthouse.relay.threads.BlockingWaits;
import org.posthouse.tunnel.Compression;
import org.posthouse.tunnel.LinkConfig;

/**
 * The relays of one or several sites in this process, on loopback. {@code posthouse run} uses it when it is given no
 * relay. They are complete relays with real links between them. Their authority lives as long as the grid.
 */
public final class EmbeddedGrid implements AutoCloseable {
    private static final String LOOPBACK = "127.0.0.1";

    /** Days that the keys are valid: a job that runs for months must be able to reconnect its links. */
    private static final int KEY_DAYS = 3_650;

    private static final long ANSWER_SECONDS = 30;

    /** Milliseconds that relays may take to be linked, some of them over others. */
    private static final long LINKED_MS_MAX = 30_000;

    /** Milliseconds between messages about a relay that starts slowly. */
    private static final long TELL_MS = 10_000;

    private final Vertx vertx;
    private TemporaryFolder folder;
    private final MemoryDirectory directory = new MemoryDirectory();
    private final List<Relay> relays = new ArrayList<>();
    private final List<Path> logFolders = new ArrayList<>();
    private final GridNetwork network;
    private final UnaryOperator<Supplier<LogSync>> disk;
    private final LinkChange linkChange;
    private final BooleanSupplier unwanted;
    private long unexpectedBytes = RelayConfig.unexpectedBytesDefault();

    /** A test's change of a relay's link settings before the relay starts. */
    public interface LinkChange {
        LinkConfig of(LinkConfig links) throws IOException;
    }

    private EmbeddedGrid(
            Vertx vertx, GridNetwork network, UnaryOperator<Supplier<LogSync>> disk, LinkChange linkChange, BooleanSupplier unwanted) {
        this.vertx = vertx;
        this.network = network;
        this.disk = disk;
        this.linkChange = linkChange;
        this.unwanted = unwanted;
    }

    /** A Vert.x instance that creates no files. */
    public static Vertx vertx() {
        return vertx(EventLoopKind.DEFAULT);
    }

    /** A Vert.x instance with event loops of the given kind that creates no files. */
    public static Vertx vertx(EventLoopKind kind) {
        return BlockedThreadReporter.watchOfCommand(Vertx.builder().with(RelayVertx.options()).withTransport(kind.transport()).build());
    }

    /**
     * Starts the relays; blocks until all serve.
     *
     * @param vertx supplies the event loops of the relays; the caller closes it
     * @param sites number of sites, at least 1
     * @param relaysPerSite number of relays of each site, at least 1
     * @param logged whether the relays keep logs, in a folder that is deleted with the grid
     * @param mode placement of each relay's work on threads
     */
    public static EmbeddedGrid start(Vertx vertx, int sites, int relaysPerSite, boolean logged, ModeConfig mode)
            throws IOException {
        return start(vertx, sites, relaysPerSite, limits(logged), mode, 0);
    }

    private static Optional<LogLimits> limits(boolean logged) {
        return logged ? Optional.of(LogLimits.DEFAULT) : Optional.empty();
    }

    /**
     * Starts one multiplexed relay at each site, with the given network between them and the given compression on their
     * links.
     */
    public static EmbeddedGrid start(Vertx vertx, int sites, boolean logged, GridNetwork network, Compression compression) throws IOException {
        LinkChange packing = links -> links.compression(compression);
        EmbeddedGrid grid = new EmbeddedGrid(vertx, network, UnaryOperator.identity(), packing, () -> false);
        return start(grid, sites, 1, limits(logged), ModeConfig.of(RelayConfig.Mode.MULTIPLEXED));
    }

    /**
     * Starts the relays with the given logs and lanes; blocks until all serve.
     *
     * @param logs limits of each relay's log; empty for relays without logs
     * @param lanes connections of each link; 0 for as many as are useful
     */
    public static EmbeddedGrid start(
            Vertx vertx, int sites, int relaysPerSite, Optional<LogLimits> logs, ModeConfig mode, int lanes) throws IOException {
        return start(vertx, sites, relaysPerSite, logs, mode, lanes, RelayConfig.unexpectedBytesDefault(), () -> false);
    }

    /**
     * Starts the relays, unless the caller gives up while they open their logs, which may wait for room on a full disk.
     * Then no relay runs.
     *
     * @param unexpectedBytes limit of the memory for unexpected messages in each relay
     * @param unwanted asked by relays that have not opened their logs; true if the caller has given up
     */
    public static EmbeddedGrid start(
            Vertx vertx, int sites, int relaysPerSite, Optional<LogLimits> logs, ModeConfig mode, int lanes, long unexpectedBytes, BooleanSupplier unwanted)
            throws IOException {
        LinkChange laned = links -> links.lanes(lanes);
        EmbeddedGrid grid = new EmbeddedGrid(vertx, GridNetwork.LOOPBACK, UnaryOperator.identity(), laned, unwanted);
        grid.unexpectedBytes = unexpectedBytes;
        return start(grid, sites, relaysPerSite, logs, mode);
    }

    /**
     * Starts the relays; for tests.
     *
     * @param disk wraps the sync of each relay's log, so that a test can block it
     * @param linkChange a test's change of each relay's link settings
     */
    public static EmbeddedGrid start(
            Vertx vertx,
            int sites,
            int relaysPerSite,
            Optional<LogLimits> logs,
            ModeConfig mode,
            UnaryOperator<Supplier<LogSync>> disk,
            LinkChange linkChange)
            throws IOException {
        return start(new EmbeddedGrid(vertx, GridNetwork.LOOPBACK, disk, linkChange, () -> false), sites, relaysPerSite, logs, mode);
    }

    /**
     * Starts relays of which only some dial each other; blocks until all serve and each is linked with every other one,
     * over others where it must be.
     *
     * @param ids in the order in which they start
     * @param dials whether the first relay dials the second one, which has started before it
     */
    public static EmbeddedGrid start(Vertx vertx, List<RelayId> ids, BiPredicate<RelayId, RelayId> dials, boolean logged, ModeConfig mode)
            throws IOException {
        EmbeddedGrid grid = new EmbeddedGrid(vertx, GridNetwork.LOOPBACK, UnaryOperator.identity(), links -> links.dialling(
                peer -> dials.test(RelayId.parse(links.relay()), RelayId.parse(peer))), () -> false);
        try {
            grid.startRelays(ids, limits(logged), mode);
            grid.awaitLinks();
            return grid;
        } catch (IOException | RuntimeException e) {
            grid.close();
            throw e;
        }
    }

    private static EmbeddedGrid start(
            EmbeddedGrid grid, int sites, int relaysPerSite, Optional<LogLimits> logs, ModeConfig mode) throws IOException {
        try {
            grid.startRelays(sites, relaysPerSite, logs, mode);
            return grid;
        } catch (IOException | RuntimeException e) {
            grid.close();
            throw e;
        }
    }

    private void startRelays(int sites, int relaysPerSite, Optional<LogLimits> logs, ModeConfig mode) throws IOException {
        List<RelayId> ids = new ArrayList<>();
        for (int i = 0; i < sites; i++) {
            for (int name = 1; name <= relaysPerSite; name++) {
                ids.add(new RelayId(network.site(i), Integer.toString(name)));
            }
        }
        startRelays(ids, logs, mode);
    }

    private void startRelays(List<RelayId> ids, Optional<LogLimits> logs, ModeConfig mode) throws IOException {
        boolean linked = ids.size() > 1;
        if (linked || logs.isPresent()) {
            folder = TemporaryFolder.make("posthouse-");
        }
        GridAuthority authority = linked ? GridAuthority.init(folder.path().resolve("authority"), KEY_DAYS) : null;
        for (RelayId id : ids) {
            Path keys = linked ? folder.path().resolve("keys-" + id.site()) : null;
            if (linked && !Files.exists(keys)) {
                authority.issue(id.site(), KEY_DAYS, keys);
            }
            start(id, keys, logs, mode);
        }
    }

    private void awaitLinks() throws IOException {
        List<String> all = relays.stream().map(Relay::id).toList();
        for (Relay relay : relays) {
            List<String> others = all.stream().filter(other -> !other.equals(relay.id())).toList();
            Promise<Void> linked = Promise.promise();
            relay.control().post(() -> relay.links().contacted(others, LINKED_MS_MAX).onComplete(linked));
            BlockingWaits.await(linked.future(), 2 * TimeUnit.MILLISECONDS.toSeconds(LINKED_MS_MAX));
        }
    }

    /**
     * Starts one relay, which dials all earlier ones. Waits as long as the relay's disk and this host need, because the
     * folder may not be deleted while a relay starts. {@code keys} is null if there is no other relay.
     */
    private void start(RelayId id, Path keys, Optional<LogLimits> logs, ModeConfig mode) throws IOException {
        RelayConfig config = RelayConfig.loopback(id, 0).withMode(mode).withUnexpected(unexpectedBytes).withLocal(LocalSockets.of(System.getenv()))
                .withLaunchToken(UserToken.find());
        if (logs.isPresent()) {
            Path logFolder = RelayConfig.logFolder(folder.path().resolve("data-" + id.site()), id);
            config = config.withLog(logFolder, logs.get());
            logFolders.add(logFolder);
        }
        if (keys != null) {
            // On the loopback, compression only costs time.
            LinkConfig links = LinkConfig.of(config.relay(), config.epoch(), SiteKeys.load(keys))
                    .listen(LOOPBACK, 0)
                    .compression(Compression.NEVER);
            for (Relay earlier : relays) {
                links = links.peer(earlier.id(), LOOPBACK + ":" + network.road(id.site(), RelayId.parse(earlier.id()).site(), earlier.linkPort()));
            }
            config = config.withLinks(linkChange.of(links));
        }
        Relay relay = new Relay(config, directory, disk, unwanted);
        RelayHost.awaitServing(
                vertx.deployVerticle(relay, new DeploymentOptions()), () -> Optional.of(relay.recovering().orElse("it opens its ports")), 1, TELL_MS);
        relays.add(relay);
    }

    /** The addresses for ranks and launchers, one for each relay, ordered by site. */
    public List<String> addresses() {
        return relays.stream().map(Relay::address).toList();
    }

    /** The address of one relay for ranks and launchers. */
    public String address(RelayId id) {
        return relays.stream().filter(relay -> relay.id().equals(id.toString())).findFirst().orElseThrow().address();
    }

    /** The folders of the relays' logs; empty without logs. */
    public List<Path> logFolders() {
        return List.copyOf(logFolders);
    }

    /** The relays as a console shows them. */
    public List<RelayView> views() {
        return relays.stream().map(Relay::view).toList();
    }

    /** Changes the mode of all relays while they run; blocks until all have reported the result. */
    public List<ModeChange> switchMode(ModeConfig mode) throws IOException {
        List<Future<ModeChange>> changes = relays.stream().map(relay -> relay.switchMode(mode)).toList();
        List<ModeChange> told = new ArrayList<>();
        for (Future<ModeChange> change : changes) {
            told.add(BlockingWaits.await(change, ANSWER_SECONDS));
        }
        return told;
    }

    /**
     * The system's ids of the threads that carry messages now, for each site, in the order of the addresses. Linux
     * only.
     */
    public List<List<Long>> threads() throws IOException {
        Map<String, List<Long>> threads = new LinkedHashMap<>();
        for (Relay relay : relays) {
            threads.computeIfAbsent(RelayId.parse(relay.id()).site(), site -> new ArrayList<>()).addAll(relay.placement().threads());
        }
        return List.copyOf(threads.values());
    }

    /** The counters of each relay so far; blocks until all have counted. */
    public List<ResourceUsage> loads() throws IOException {
        List<ResourceUsage> loads = new ArrayList<>();
        for (Relay relay : relays) {
            loads.add(BlockingWaits.await(relay.load(), ANSWER_SECONDS));
        }
        return loads;
    }

    /**
     * Stops the relays and removes their files. Relays that dial others stop first, so that they do not redial those.
     */
    @Override
    public void close() {
        for (Relay relay : relays.reversed()) {
            if (relay.deploymentID() != null) {
                vertx.undeploy(relay.deploymentID()).await();
            }
        }
        directory.close();
        if (folder == null) {
            return;
        }
        try {
            folder.close();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot remove " + folder.path() + ": " + e.getMessage(), e);
        }
    }
}
