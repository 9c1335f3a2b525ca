package org.posthouse.launch.install;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.posthouse.keys.GridAuthority;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.logstore.file.TemporaryFolder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Relay processes of one or several sites on this host, each linked to all others over TLS. Their keys and data are in
 * a folder that is deleted with them, unless it is kept. Confined to the thread that starts it, except for the relays.
 */
public final class RelayGrid implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RelayGrid.class);

    /** A job of months redials its links. */
    private static final int KEY_DAYS = 3_650;

    /**
     * Below the ports that systems give to connections (Linux: from 32,768). So no process takes the port of a killed
     * relay before it is up again, not even a rank that dials it.
     */
    private static final int PORTS_FROM = 12_000;

    private static final int PORTS = 20_000;
    private static final int PORT_TRIES_MAX = 1_000;

    private final TemporaryFolder folder;
    private final List<String> options;
    private final CompletableFuture<?> cancelled;
    private final List<RelayProcess> relays = new ArrayList<>();
    private boolean kept;

    private RelayGrid(TemporaryFolder folder, List<String> options, CompletableFuture<?> cancelled) {
        this.folder = folder;
        this.options = options;
        this.cancelled = cancelled;
    }

    /**
     * Starts them one after the other, and waits until each serves.
     *
     * @param sites number of sites; they are called site-a, site-b and so on
     * @param options further options of each relay
     * @param started receives the ready line of each
     * @param cancelled completed from any thread when they are no longer wanted: a relay that does not serve by then is killed
     * @throws JobFailure if one cannot be started, or it was cancelled; none is left running then
     */
    public static RelayGrid start(
            int sites, int relaysPerSite, List<String> options, Consumer<ReadyLine> started, CompletableFuture<?> cancelled)
            throws IOException, JobFailure {
        RelayGrid grid = new RelayGrid(TemporaryFolder.make("posthouse-relays-"), options, cancelled);
        try {
            grid.startAll(sites, relaysPerSite, started);
            return grid;
        } catch (IOException | JobFailure | RuntimeException e) {
            grid.close();
            throw e;
        }
    }

    private void startAll(int sites, int relaysPerSite, Consumer<ReadyLine> started) throws IOException, JobFailure {
        GridAuthority authority = GridAuthority.init(folder.path().resolve("authority"), KEY_DAYS);
        List<String> members = new ArrayList<>();
        for (String site : IntStream.range(0, sites).mapToObj(i -> "site-" + (char) ('a' + i)).toList()) {
            authority.issue(site, KEY_DAYS, folder.path().resolve("keys-" + site));
            for (int name = 1; name <= relaysPerSite; name++) {
                startOne(site, Integer.toString(name), members);
                started.accept(relays.getLast().ready());
            }
        }
    }

    /** Starts one relay, which dials all earlier ones. {@code members} are those of the group so far. */
    private void startOne(String site, String name, List<String> members) throws IOException, JobFailure {
        String group = freeAddress();
        List<String> arguments = new ArrayList<>(List.of(
                "--site", site, "--name", name, "--listen", freeAddress(), "--ops", freeAddress(), "--links", freeAddress(),
                "--keys", folder.path().resolve("keys-" + site).toString(), "--data", folder.path().resolve("data-" + site).toString(),
                "--group", group));
        arguments.addAll(options);
        members.forEach(member -> arguments.addAll(List.of("--member", member)));
        for (RelayProcess earlier : relays) {
            arguments.addAll(List.of("--peer", earlier.ready().relay() + "=" + earlier.ready().links()));
        }
        relays.add(RelayProcess.start(arguments, folder.path().resolve(site + "-" + name + ".log"), cancelled));
        members.add(group);
    }

    /** Of a port that is free now. */
    private static String freeAddress() throws IOException {
        for (int tries = 0; tries < PORT_TRIES_MAX; tries++) {
            int port = PORTS_FROM + ThreadLocalRandom.current().nextInt(PORTS);
            try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return "127.0.0.1:" + socket.getLocalPort();
            } catch (BindException e) {
                LOG.debug("port {} is taken, another one is tried", port, e);
            }
        }
        throw new IOException("none of " + PORT_TRIES_MAX + " ports in [" + PORTS_FROM + ", " + (PORTS_FROM + PORTS)
                + ") is free on this host");
    }

    /** All relays, site by site. */
    public List<RelayProcess> relays() {
        return List.copyOf(relays);
    }

    /** Where they listen for ranks and launchers. */
    public List<String> addresses() {
        return relays.stream().map(relay -> relay.ready().ranks()).toList();
    }

    /** Keeps the folder when the relays end, for a search for faults. @return where it is */
    public Path keep() {
        kept = true;
        return folder.path();
    }

    @Override
    public void close() throws IOException {
        relays.forEach(RelayProcess::close);
        if (kept) {
            folder.leave();
        } else {
            folder.close();
        }
    }
}
