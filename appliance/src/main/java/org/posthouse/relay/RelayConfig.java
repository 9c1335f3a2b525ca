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
 * @param door where ranks and launchers come in
 * @param ops host:port of this relay's console as others are told, or empty
 * @param mode how the work is placed on threads at the start
 * @param shards parts that the ranks are spread over, each with one owner at a time: the most threads that match at once
 * @param logFolder where messages and deliveries are logged; without it, a job that wants a log is refused
 * @param logLimits how much room the log may take
 * @param launcherWait how long logged jobs go on without their launchers
 * @param core the core's limits
 * @param links the links to other relays; without them it serves jobs that are at home here alone
 * @param linkPatienceSeconds how long a link may be down until jobs with ranks at its far end end; 0: for ever
 */
public record RelayConfig(
        String site,
        String relay,
        long epoch,
        DoorConfig door,
        String ops,
        ModeConfig mode,
        int shards,
        Optional<Path> logFolder,
        LogLimits logLimits,
        LauncherWait launcherWait,
        CoreConfig core,
        Optional<LinkConfig> links,
        int linkPatienceSeconds) {
    /** Beside connections and streams: the console's 128, and those of Java, its loops, the log and the group, some 200 in use. */
    private static final int FILES_BESIDE = 512;

    public static final int SHARDS_DEFAULT = Math.clamp(Runtime.getRuntime().availableProcessors(), 2, 16);

    /** How a relay's work is placed on threads (docs/operations.md, modes). */
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
                DoorConfig.loopback(port),
                "",
                ModeConfig.of(Mode.MULTIPLEXED),
                SHARDS_DEFAULT,
                Optional.empty(),
                LogLimits.DEFAULT,
                LauncherWait.DEFAULT,
                CoreConfig.DEFAULT.withUnexpected(unexpectedBytesDefault()),
                Optional.empty(),
                0);
    }

    /** What messages may take of a relay's memory that wait for their receives: as much as is usual, or three eighths of the heap. */
    public static long unexpectedBytesDefault() {
        return Math.min(CoreConfig.UNEXPECTED_BYTES, Runtime.getRuntime().maxMemory() / 8 * 3);
    }

    /** With so much memory for messages that wait for their receives. */
    public RelayConfig withUnexpected(long bytes) {
        return new RelayConfig(
                site, relay, epoch, door, ops, mode, shards, logFolder, logLimits, launcherWait, core.withUnexpected(bytes), links, linkPatienceSeconds);
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
                site, relay, epoch, door, ops, mode, shards, Optional.of(folder), limits, launcherWait, limits.core(core, shards), links, linkPatienceSeconds);
    }

    /** How many files it may have open at once, by its limits. */
    int filesMax() {
        return FILES_BESIDE + door.connectionsMax() + links.map(LinkConfig::socketsMax).orElse(0);
    }

    /** What one rank of a logged job may have under way to this relay, beside what all ranks share. */
    long rankBytes() {
        return core.underWayBytes(shards);
    }

    public RelayConfig withLinks(LinkConfig config) {
        return new RelayConfig(
                site, relay, epoch, door, ops, mode, shards, logFolder, logLimits, launcherWait, core, Optional.of(config), linkPatienceSeconds);
    }

    public RelayConfig withLocal(Optional<LocalSockets> sockets) {
        return new RelayConfig(
                site, relay, epoch, door.local(sockets), ops, mode, shards, logFolder, logLimits, launcherWait, core, links, linkPatienceSeconds);
    }

    RelayConfig withLaunchToken(Token token) {
        return new RelayConfig(
                site, relay, epoch, door.launchToken(token), ops, mode, shards, logFolder, logLimits, launcherWait, core, links, linkPatienceSeconds);
    }

    /** The same start of the relay, as one after the start with this epoch: the clock may have been set back since. */
    RelayConfig after(long earlier) {
        return new RelayConfig(
                site, relay, Math.max(epoch, earlier + 1), door, ops, mode, shards, logFolder, logLimits, launcherWait, core, links, linkPatienceSeconds);
    }

    public RelayConfig withMode(ModeConfig placed) {
        return new RelayConfig(site, relay, epoch, door, ops, placed, shards, logFolder, logLimits, launcherWait, core, links, linkPatienceSeconds);
    }
}
