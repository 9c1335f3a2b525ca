package org.posthouse.logstore;

import java.nio.file.Path;
import org.posthouse.logstore.file.DiskSpace;
import org.posthouse.logstore.file.Pretoucher;
import org.posthouse.logstore.file.QueueFiles;

/**
 * The configuration of a log. Immutable. The epoch is not configured; the log takes one more than the highest it finds.
 *
 * @param folder of the files, on a local file system; created if missing; nothing else may be in it
 * @param rollBytes a new file is begun once the current one has reached this size, in bytes; 128 KiB … 1 GiB. A file
 *         may exceed it by one record
 * @param minFreeBytes {@link MessageLog#hasRoom} while the file system has at least this free, in bytes; 0 or more
 */
public record LogConfig(Path folder, long rollBytes, long minFreeBytes) {
    /** 256 MiB: the default of rollBytes. */
    public static final long DEFAULT_ROLL_BYTES = 256L << 20;

    /** 1 GiB: the default of minFreeBytes. Space for four files of data that is mapped but not yet written back. */
    public static final long DEFAULT_MIN_FREE_BYTES = 1L << 30;

    /** Minimum of rollBytes; below it, Chronicle's 64 KiB of index in each file would outweigh the records. */
    public static final long ROLL_BYTES_MIN = 128L << 10;

    /** Maximum of rollBytes; a scan maps a file as one ByteBuffer, which is limited to 2 GiB. */
    static final long ROLL_BYTES_MAX = 1L << 30;

    /** 64 MiB: minimum limit for a log's size, enough for a few files and incomplete messages. */
    public static final long LIMIT_BYTES_MIN = 64L << 20;

    /**
     * A log of at most {@code limitBytes} bytes. Its files are a sixteenth of it, but no smaller than Chronicle makes
     * them. What is reserved ahead of the writer is subtracted, so that no file is longer than the blocks it needs. A
     * quarter of the limit must be free beside it, 1 GiB at most.
     */
    public static LogConfig limited(Path folder, long limitBytes) {
        long blocks = Math.clamp(limitBytes / 16 / QueueFiles.BLOCK_BYTES, 1, 16);
        return new LogConfig(folder, blocks * QueueFiles.BLOCK_BYTES - Pretoucher.AHEAD_BYTES - DiskSpace.STEP_BYTES,
                Math.min(DEFAULT_MIN_FREE_BYTES, limitBytes / 4));
    }

    /** Checks the ranges. */
    public LogConfig {
        if (rollBytes < ROLL_BYTES_MIN || rollBytes > ROLL_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "rollBytes is " + rollBytes + ", must be " + ROLL_BYTES_MIN + " to " + ROLL_BYTES_MAX);
        }
        if (minFreeBytes < 0) {
            throw new IllegalArgumentException("minFreeBytes is " + minFreeBytes + ", must be 0 or more");
        }
    }

    /** A log in this folder with the defaults. */
    public static LogConfig of(Path folder) {
        return new LogConfig(folder, DEFAULT_ROLL_BYTES, DEFAULT_MIN_FREE_BYTES);
    }
}
