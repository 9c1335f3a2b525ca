package org.posthouse.relay.config;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.posthouse.core.CoreConfig;
import org.posthouse.keys.RelayId;
import org.posthouse.launch.stage.ContentStore;
import org.posthouse.mpj.channel.LocalSockets;
import org.posthouse.tunnel.LinkConfig;
import org.posthouse.wire.Token;

/**
 * The settings of one relay.
 *
 * @param site the relay's site
 * @param relay the relay's id, unique in the grid, as {@link RelayId} writes it
 * @param epoch the start time in milliseconds since 1970. A relay that reopens a log uses the latest epoch in the log
 *         plus one, if that is larger.
 * @param door the settings for connections of ranks and launchers
 * @param ops host:port of this relay's console as announced to others, or empty
 * @param mode placement of the work on threads at the start
 * @param shards number of parts of the ranks, each with one owner at a time; also the most threads that match at once
 * @param logFolder folder of the message log; if it is empty, the relay refuses jobs that need a log
 * @param logLimits limits of the log's size
 * @param launcherWait how long logged jobs continue without their launchers
 * @param core limits of the core
 * @param links links to other relays; if it is empty, the relay serves only jobs that have all ranks at home here
 * @param linkPatienceSeconds seconds that a link may be down before jobs with ranks at its far end are ended; 0 for no
 *         limit
 * @param stageBytesMax limit of the files of jobs that the relay keeps for its nodes, in bytes
 */
public record RelayConfig(
        String site,
        String relay,
        long epoch,
        AcceptorConfig door,
        String ops,
        ModeConfig mode,
        int shards,
        Optional<Path> logFolder,
        LogLimits logLimits,
        LauncherTimeout launcherWait,
        CoreConfig core,
        Optional<LinkConfig> links,
        int linkPatienceSeconds,
        long stageBytesMax) {
    /** Bytes of staged files that a relay, or an agent, keeps by default. */
    public static final long STAGE_BYTES_DEFAULT = ContentStore.BYTES_DEFAULT;

    /**
     * Files beside those of connections and streams: 128 of the console, and some 200 of Java, its loops, the log and
     * the group.
     */
    private static final int FILES_BESIDE = 512;

    public static final int SHARDS_DEFAULT = Math.clamp(Runtime.getRuntime().availableProcessors(), 2, 16);

    /** The placement of a relay's work on threads (docs/operations.md, modes). */
    public enum Mode {
        /** One event loop does all work. */
        MULTIPLEXED,
        /** Several event loops, each with its own connections and shards. */
        POOLED,
        /** Separate loops for reading, for logging and matching, and for writing. */
        PIPELINE,
        /** A virtual thread for each connection, in blocking style. */
        THREADED;

        /** @throws IllegalArgumentException with a message of one line, if there is no such mode */
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

    /** A relay on loopback with the default limits. */
    public static RelayConfig loopback(RelayId relay, int port) {
        return new RelayConfig(
                relay.site(),
                relay.toString(),
                System.currentTimeMillis(),
                AcceptorConfig.loopback(port),
                "",
                ModeConfig.of(Mode.MULTIPLEXED),
                SHARDS_DEFAULT,
                Optional.empty(),
                LogLimits.DEFAULT,
                LauncherTimeout.DEFAULT,
                CoreConfig.DEFAULT.withUnexpected(unexpectedBytesDefault()),
                Optional.empty(),
                0,
                STAGE_BYTES_DEFAULT);
    }

    /**
     * Default limit of the memory for unexpected messages, in bytes: the core's default, or three eighths of the heap
     * if that is less.
     */
    public static long unexpectedBytesDefault() {
        return Math.min(CoreConfig.UNEXPECTED_BYTES, Runtime.getRuntime().maxMemory() / 8 * 3);
    }

    /** With this limit of the memory for unexpected messages. */
    public RelayConfig withUnexpected(long bytes) {
        return new RelayConfig(
                site, relay, epoch, door, ops, mode, shards, logFolder, logLimits, launcherWait, core.withUnexpected(bytes), links, linkPatienceSeconds,
                stageBytesMax);
    }

    /**
     * The folder of a relay's log below its data folder. Relays of one site that share a data folder thus share no log.
     */
    public static Path logFolder(Path data, RelayId relay) {
        return data.resolve(relay.name().equals(RelayId.FIRST) ? "log" : "log-" + relay.name());
    }

    /** With this limit of the staged files, in bytes. */
    public RelayConfig withStage(long bytesMax) {
        return new RelayConfig(
                site, relay, epoch, door, ops, mode, shards, logFolder, logLimits, launcherWait, core, links, linkPatienceSeconds, bytesMax);
    }

    /** The folder of staged files, beside the log; empty if there is no log. */
    public Optional<Path> stageFolder() {
        return logFolder.map(log -> log.resolveSibling(log.getFileName().toString().replaceFirst("log", "stage")));
    }

    public RelayConfig withLog(Path folder) {
        return withLog(folder, logLimits);
    }

    /** With a log that has these limits. */
    public RelayConfig withLog(Path folder, LogLimits limits) {
        return new RelayConfig(
                site, relay, epoch, door, ops, mode, shards, Optional.of(folder), limits, launcherWait, limits.core(core, shards), links, linkPatienceSeconds,
                stageBytesMax);
    }

    /** Whether frames from other hosts must come over TLS: the relay has keys, and no flag says otherwise. */
    public boolean needsTls() {
        return links.isPresent() && !door.unsafePlain();
    }

    /** The most files that the relay may have open at once, by its limits. */
    public int filesMax() {
        return FILES_BESIDE + door.connectionsMax() + links.map(LinkConfig::socketsMax).orElse(0);
    }

    /** Bytes that one rank of a logged job may have under way to this relay, without what all ranks share. */
    public long rankBytes() {
        return core.underWayBytes(shards);
    }

    public RelayConfig withLinks(LinkConfig config) {
        return new RelayConfig(
                site, relay, epoch, door, ops, mode, shards, logFolder, logLimits, launcherWait, core, Optional.of(config), linkPatienceSeconds, stageBytesMax);
    }

    public RelayConfig withLocal(Optional<LocalSockets> sockets) {
        return new RelayConfig(
                site, relay, epoch, door.local(sockets), ops, mode, shards, logFolder, logLimits, launcherWait, core, links, linkPatienceSeconds,
                stageBytesMax);
    }

    public RelayConfig withLaunchToken(Token token) {
        return withDoor(door.launchToken(token));
    }

    /** With these settings for connections of ranks and launchers. */
    public RelayConfig withDoor(AcceptorConfig door) {
        return new RelayConfig(
                site, relay, epoch, door, ops, mode, shards, logFolder, logLimits, launcherWait, core, links, linkPatienceSeconds,
                stageBytesMax);
    }

    /**
     * The same settings with an epoch after {@code earlier}, because the clock may have been set back since that start.
     */
    public RelayConfig after(long earlier) {
        return new RelayConfig(
                site, relay, Math.max(epoch, earlier + 1), door, ops, mode, shards, logFolder, logLimits, launcherWait, core, links, linkPatienceSeconds,
                stageBytesMax);
    }

    public RelayConfig withMode(ModeConfig placed) {
        return new RelayConfig(site, relay, epoch, door, ops, placed, shards, logFolder, logLimits, launcherWait, core, links, linkPatienceSeconds,
                stageBytesMax);
    }
}
