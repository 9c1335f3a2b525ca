package org.posthouse.relay;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.posthouse.core.CoreConfig;
import org.posthouse.logstore.LogConfig;

/**
 * How much room a relay's log may take (docs/log-space.md).
 *
 * @param limitBytes of all its files together; 0: three quarters of the most that has been free or its own since it was opened, at most 64 GiB
 * @param highMarkPercent of it, from which ranks are asked for checkpoints, and one image of each must do
 * @param onFull what becomes of a job when there is no room for what its ranks send
 */
public record LogLimits(long limitBytes, int highMarkPercent, OnFull onFull) {
    /** What becomes of a job when there is no room in its log. */
    public enum OnFull {
        /** It stands still until there is room again. */
        WAIT,
        /** It ends, with LOG_FULL. */
        ABORT
    }

    /** By the room that there is; 60 %; jobs wait. */
    public static final LogLimits DEFAULT = new LogLimits(0, 60, OnFull.WAIT);

    private static final long DEFAULT_BYTES_MAX = 64L << 30;

    /** Ranks that may have as much under way as they may at the same time within half of the log. */
    private static final int RANKS = 8;

    public LogLimits {
        if (limitBytes != 0 && limitBytes < LogConfig.LIMIT_BYTES_MIN || highMarkPercent < 10 || highMarkPercent > 90) {
            throw new IllegalArgumentException("--log-limit is " + limitBytes + " bytes with --log-high-mark " + highMarkPercent
                    + ", expected at least " + LogConfig.LIMIT_BYTES_MIN + " bytes and 10 to 90 percent");
        }
    }

    /** The limit of a log in this folder, which exists. */
    long bytes(Path folder) throws IOException {
        return bytes(Files.getFileStore(folder).getUsableSpace(), has(folder));
    }

    /** The same, by what is free. With its own files, or a relay that comes back on its log would have the less room the more it has written. */
    long bytes(long freeBytes, long ownBytes) {
        return limitBytes > 0 ? limitBytes : Math.clamp((freeBytes + ownBytes) / 4 * 3, LogConfig.LIMIT_BYTES_MIN, DEFAULT_BYTES_MAX);
    }

    /** What helps a log that may take so much, if that is too little. */
    String remedy(long bytes) {
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

    /** What ranks may have under way, so that some of them cannot fill the log by that alone. */
    public CoreConfig core(CoreConfig core, int cores) {
        return limitBytes == 0 ? core : core.within(limitBytes / 2, RANKS, cores);
    }
}
