package org.posthouse.relay;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.posthouse.core.CoreConfig;
import org.posthouse.mpj.LocalSockets;
import org.posthouse.tunnel.LinkConfig;
import org.posthouse.tunnel.RelayId;
import org.posthouse.wire.Token;

/**
 * One relay's settings.
 *
 * @param site the site it stands at
 * @param relay its id, unique in the grid: as {@link RelayId} writes it
 * @param epoch when it started, in milliseconds since 1970; one that comes back to a log takes one more than that has seen, if that
 *     is larger
 * @param host address that ranks and launchers connect to
 * @param port their port; 0 lets the system choose
 * @param announced host:port by which launchers reach it that hear of it from other relays; empty: where it listens
 * @param ops host:port of this relay's console as others are told, or empty
 * @param mode how the work is placed on threads at the start
 * @param shards parts that the ranks are spread over, each with one owner at a time: the most threads that match at once
 * @param logFolder where messages and deliveries are logged; without it, a job that wants a log is refused
 * @param launchToken what a launcher must show; {@link Token#NONE} lets every launcher in
 * @param links the links to other relays; without them it serves jobs that are at home here alone
 * @param core the core's limits
 * @param helloTimeoutMs how long a new connection may say nothing, in milliseconds
 * @param connectionsMax most connections of ranks and launchers at once
 * @param logLimits how much room the log may take
 * @param launcherWait how long logged jobs go on without their launchers
 * @param local where ranks of its host come in, beside the port; without it they come by the port
 * @param linkPatienceSeconds how long a link may be down until jobs with ranks at its far end end; 0: for ever
 */
public record RelayConfig(
        String site,
        String relay,
        long epoch,
        String host,
        int port,
        Optional<String> announced,
        String ops,
        ModeConfig mode,
        int shards,
        Optional<Path> logFolder,
        Token launchToken,
        Optional<LinkConfig> links,
        CoreConfig core,
        long helloTimeoutMs,
        int connectionsMax,
        LogLimits logLimits,
        LauncherWait launcherWait,
        Optional<LocalSockets> local,
        int linkPatienceSeconds) {

    public static final long HELLO_TIMEOUT_MS_DEFAULT = 5_000;
    public static final int CONNECTIONS_MAX_DEFAULT = 4_096;
    public static final int SHARDS_DEFAULT = Math.clamp(Runtime.getRuntime().availableProcessors(), 2, 16);

    /** How a relay's work is placed on threads (DESIGN section 6). */
    public enum Mode {
        /** One event loop does all. */
        MULTIPLEXED,
        /** Several event loops, each with connections and shards of its own. */
        POOLED,
        /** Loops that read, loops that log and match, loops that write. */
        PIPELINE,
        /** A virtual thread for each connection, in blocking style. */
        THREADED;

        /** @throws IllegalArgumentException in one line, if there is no such mode */
        public static Mode of(String word) {
            return Arrays.stream(values())
                    .filter(mode -> mode.word().equals(word))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            "mode \"" + word + "\", expected one of " + Arrays.stream(values()).map(Mode::word).toList()));
        }

        /** The name on the command line and in metrics. */
        public String word() {
            return name().toLowerCase(java.util.Locale.ROOT);
        }
    }

    /** A relay on loopback with the usual limits. */
    public static RelayConfig loopback(RelayId relay, int port) {
        return new RelayConfig(
                relay.site(),
                relay.toString(),
                System.currentTimeMillis(),
                "127.0.0.1",
                port,
                Optional.empty(),
                "",
                ModeConfig.of(Mode.MULTIPLEXED),
                SHARDS_DEFAULT,
                Optional.empty(),
                Token.NONE,
                Optional.empty(),
                CoreConfig.DEFAULT,
                HELLO_TIMEOUT_MS_DEFAULT,
                CONNECTIONS_MAX_DEFAULT,
                LogLimits.DEFAULT,
                LauncherWait.DEFAULT,
                Optional.empty(),
                0);
    }

    /** Where a relay keeps its log below its data folder: relays of one site that share the data folder share no log. */
    public static Path logFolder(Path data, RelayId relay) {
        return data.resolve(relay.name().equals(RelayId.FIRST) ? "log" : "log-" + relay.name());
    }

    public RelayConfig withLog(Path folder) {
        return withLog(folder, logLimits);
    }

    /** With a log that may take so much. */
    RelayConfig withLog(Path folder, LogLimits limits) {
        return new RelayConfig(
                site, relay, epoch, host, port, announced, ops, mode, shards, Optional.of(folder), launchToken, links, limits.core(core, shards),
                helloTimeoutMs,
                connectionsMax, limits, launcherWait, local, linkPatienceSeconds);
    }

    /** Most connections at once that were not let in: whoever only connects takes no more of the process's files, which its log needs, too. */
    int newcomersMax() {
        return Math.ceilDiv(connectionsMax, 4);
    }

    /** What one rank of a logged job may have under way to this relay, beside what all ranks share. */
    long rankBytes() {
        return core.underWayBytes(shards);
    }

    public RelayConfig withLinks(LinkConfig config) {
        return new RelayConfig(
                site, relay, epoch, host, port, announced, ops, mode, shards, logFolder, launchToken, Optional.of(config), core, helloTimeoutMs, connectionsMax,
                logLimits,
                launcherWait, local, linkPatienceSeconds);
    }

    public RelayConfig withLocal(Optional<LocalSockets> sockets) {
        return new RelayConfig(
                site, relay, epoch, host, port, announced, ops, mode, shards, logFolder, launchToken, links, core, helloTimeoutMs, connectionsMax, logLimits,
                launcherWait, sockets, linkPatienceSeconds);
    }

    /** The same start of the relay, as one after the start with this epoch: the clock may have been set back since. */
    RelayConfig after(long earlier) {
        return new RelayConfig(
                site, relay, Math.max(epoch, earlier + 1), host, port, announced, ops, mode, shards, logFolder, launchToken, links, core, helloTimeoutMs,
                connectionsMax,
                logLimits, launcherWait, local, linkPatienceSeconds);
    }

    public RelayConfig withMode(ModeConfig placed) {
        return new RelayConfig(
                site, relay, epoch, host, port, announced, ops, placed, shards, logFolder, launchToken, links, core, helloTimeoutMs, connectionsMax, logLimits,
                launcherWait, local, linkPatienceSeconds);
    }
}
