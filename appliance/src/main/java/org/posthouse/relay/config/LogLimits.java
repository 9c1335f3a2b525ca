package org.posthouse.relay.config;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.posthouse.core.CoreConfig;
import org.posthouse.logstore.LogConfig;

/**
 * The limits of a relay's log (docs/log-space.md).
 *
 * @param limitBytes limit of all its files together. If it is 0, the limit is three quarters of the most room that was
 *         free or its own since it was opened, at most 64 GiB.
 * @param highMarkPercent percentage of the limit from which ranks are asked for checkpoints; one image of each rank
 *         must fit
 * @param onFull what happens to a job when there is no room for what its ranks send
 */
public record LogLimits(long limitBytes, int highMarkPercent, OnFull onFull) {
    /** The treatment of a job whose log has no room. */
    public enum OnFull {
        /** The job waits until there is room again. */
        WAIT,
        /** The job ends, with LOG_FULL. */
        ABORT
    }

    /** A limit by the room on the disk, a high mark of 60 %, and jobs that wait. */
    public static final LogLimits DEFAULT = new LogLimits(0, 60, OnFull.WAIT);

    private static final long DEFAULT_BYTES_MAX = 64L << 30;

    /** Number of ranks whose messages under way must together fit into half of the log. */
    private static final int RANKS = 8;

    public LogLimits {
        if (limitBytes != 0 && limitBytes < LogConfig.LIMIT_BYTES_MIN || highMarkPercent < 10 || highMarkPercent > 90) {
            throw new IllegalArgumentException("--log-limit is " + limitBytes + " bytes with --log-high-mark " + highMarkPercent
                    + ", expected at least " + LogConfig.LIMIT_BYTES_MIN + " bytes and 10 to 90 percent");
        }
    }

    /** The limit of a log in this folder, which exists. */
    public long bytes(Path folder) throws IOException {
        return bytes(Files.getFileStore(folder).getUsableSpace(), has(folder));
    }

    /**
     * The same, from the free bytes and those of the log's own files. Without its own files, a relay that reopens its
     * log would get less room the more it has written.
     */
    public long bytes(long freeBytes, long ownBytes) {
        return limitBytes > 0 ? limitBytes : Math.clamp((freeBytes + ownBytes) / 4 * 3, LogConfig.LIMIT_BYTES_MIN, DEFAULT_BYTES_MAX);
    }

    /** Advice for a log with this limit that is too small. */
    public String remedy(long bytes) {
        return limitBytes > 0 || bytes >= DEFAULT_BYTES_MAX ? "raise --log-limit" : "free space on its disk (without --log-limit the log may take 3/4 of it)";
    }

    private static long has(Path folder) throws IOException {
        long bytes = 0;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                bytes += file.toFile().length();
            }
        }
        return bytes;
    }

    /** Limits what ranks may have under way, so that a few ranks cannot fill the log with that alone. */
    public CoreConfig core(CoreConfig core, int cores) {
        return limitBytes == 0 ? core : core.within(limitBytes / 2, RANKS, cores);
    }
}
