package org.posthouse.relay;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.posthouse.directory.MemoryDirectory;
import org.posthouse.keys.GridAuthority;
import org.posthouse.keys.SiteKeys;
import org.posthouse.logstore.LogSync;
import org.posthouse.logstore.TemporaryFolder;
import org.posthouse.mpj.LocalSockets;
import org.posthouse.ops.RelayView;
import org.posthouse.tunnel.Compression;
import org.posthouse.tunnel.LinkConfig;
import org.posthouse.tunnel.RelayId;

/**
 * The relays of one site or several in this one process, on loopback: what {@code posthouse run} uses when it is given no relay.
 * They are whole relays with real links between them, under an authority that lives as long as the grid does.
 */
public final class EmbeddedGrid implements AutoCloseable {
    private static final String LOOPBACK = "127.0.0.1";

    /** A job of months redials its links. */
    private static final int KEY_DAYS = 3_650;

    private static final long ANSWER_SECONDS = 30;

    /** How often it is said what a relay's start takes so long with. */
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

    /** What a test changes in a relay's links before it starts. */
    interface LinkChange {
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

    /** A Vert.x that makes no files. */
    public static Vertx vertx() {
        return vertx(LoopKind.DEFAULT);
    }

    /** A Vert.x with loops of that kind that makes no files. */
    public static Vertx vertx(LoopKind kind) {
        return StillLoops.watchOfCommand(Vertx.builder().with(RelayVertx.options()).withTransport(kind.transport()).build());
    }

    /**
     * Starts the relays; blocks until all serve.
     *
     * @param vertx whose event loops they run on; the caller closes it
     * @param sites how many sites, from 1
     * @param relaysPerSite how many relays each site has, from 1
     * @param logged whether the relays keep logs, in a folder that goes with the grid
     * @param mode how each relay places its work on threads
     */
    public static EmbeddedGrid start(Vertx vertx, int sites, int relaysPerSite, boolean logged, ModeConfig mode)
            throws IOException {
        return start(vertx, sites, relaysPerSite, limits(logged), mode, 0);
    }

    private static Optional<LogLimits> limits(boolean logged) {
        return logged ? Optional.of(LogLimits.DEFAULT) : Optional.empty();
    }

    /** One multiplexed relay at each site, with another network between them, and what its links do about packing. */
    public static EmbeddedGrid start(Vertx vertx, int sites, boolean logged, GridNetwork network, Compression compression) throws IOException {
        LinkChange packing = links -> links.compression(compression);
        EmbeddedGrid grid = new EmbeddedGrid(vertx, network, UnaryOperator.identity(), packing, () -> false);
        return start(grid, sites, 1, limits(logged), ModeConfig.of(RelayConfig.Mode.MULTIPLEXED));
    }

    /**
     * The first, with other logs and links.
     *
     * @param logs how much each log may take; none: without logs
     * @param lanes connections of each link; 0: as many as are of use
     */
    public static EmbeddedGrid start(
            Vertx vertx, int sites, int relaysPerSite, Optional<LogLimits> logs, ModeConfig mode, int lanes) throws IOException {
        return start(vertx, sites, relaysPerSite, logs, mode, lanes, RelayConfig.unexpectedBytesDefault(), () -> false);
    }

    /**
     * The same, for somebody who may want them no more before they have opened their logs, which may wait for room on a full disk: then there is none of them.
     *
     * @param unexpectedBytes what messages may take of each relay's memory that wait for their receives
     * @param unwanted asked by the relays that have not
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
     * The same, for tests.
     *
     * @param disk stands between each relay's log and what makes it safe, where a test can stop it
     * @param linkChange what a test changes in each relay's links
     */
    static EmbeddedGrid start(
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
        boolean linked = sites * relaysPerSite > 1;
        if (linked || logs.isPresent()) {
            folder = TemporaryFolder.make("posthouse-");
        }
        GridAuthority authority = linked ? GridAuthority.init(folder.path().resolve("authority"), KEY_DAYS) : null;
        for (int i = 0; i < sites; i++) {
            Path keys = linked ? folder.path().resolve("keys-" + network.site(i)) : null;
            if (linked) {
                authority.issue(network.site(i), KEY_DAYS, keys);
            }
            for (int name = 1; name <= relaysPerSite; name++) {
                start(new RelayId(network.site(i), Integer.toString(name)), keys, logs, mode);
            }
        }
    }

    /**
     * Starts one relay, which dials all earlier ones, and waits as long as its disk and this host make it take: the folder may not go under one that starts.
     * {@code keys} is null if it stays alone.
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
            // Nothing is slower than the loopback when it is packed first.
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

    /** Where ranks and launchers connect, one address a relay, those of one site one behind the other. */
    public List<String> addresses() {
        return relays.stream().map(Relay::address).toList();
    }

    /** Where each relay keeps its log; empty if none does. */
    public List<Path> logFolders() {
        return List.copyOf(logFolders);
    }

    /** What a console shows of the relays. */
    public List<RelayView> views() {
        return relays.stream().map(Relay::view).toList();
    }

    /** Changes the mode of all relays while they run; blocks until all have told what came of it. */
    public List<ModeChange> switchMode(ModeConfig mode) throws IOException {
        List<Future<ModeChange>> changes = relays.stream().map(relay -> relay.switchMode(mode)).toList();
        List<ModeChange> told = new ArrayList<>();
        for (Future<ModeChange> change : changes) {
            told.add(Blocking.await(change, ANSWER_SECONDS));
        }
        return told;
    }

    /** The system's numbers for the threads that carry messages now, for each site, in the order of their addresses. Linux only. */
    public List<List<Long>> threads() throws IOException {
        Map<String, List<Long>> threads = new LinkedHashMap<>();
        for (Relay relay : relays) {
            threads.computeIfAbsent(RelayId.parse(relay.id()).site(), site -> new ArrayList<>()).addAll(relay.placement().threads());
        }
        return List.copyOf(threads.values());
    }

    /** What the relays have done so far, one entry a relay; blocks until each has told. */
    public List<RelayLoad> loads() throws IOException {
        List<RelayLoad> loads = new ArrayList<>();
        for (Relay relay : relays) {
            loads.add(Blocking.await(relay.load(), ANSWER_SECONDS));
        }
        return loads;
    }

    /** Stops the relays, those that dial before those they would dial again, and removes their files. */
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
