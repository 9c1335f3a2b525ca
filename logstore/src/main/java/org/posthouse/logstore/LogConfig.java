package org.posthouse.logstore;

import java.nio.file.Path;

/**
 * How a log is kept. The epoch is not configured: the log takes one more than the highest it finds.
 *
 * @param folder where the files stand, on a local file system; made if missing; nothing else may live there
 * @param rollBytes a new file is begun once the current one has reached this size, in bytes; 128 KiB … 1 GiB. A file
 *     may exceed it by one record
 * @param minFreeBytes {@link MessageLog#hasRoom} while the file system has at least this free, in bytes; 0 or more
 */
public record LogConfig(Path folder, long rollBytes, long minFreeBytes) {
    /** 256 MiB: the default of rollBytes. */
    public static final long DEFAULT_ROLL_BYTES = 256L << 20;

    /** 1 GiB: the default of minFreeBytes. Room for four files' worth of what is mapped but not yet written back. */
    public static final long DEFAULT_MIN_FREE_BYTES = 1L << 30;

    /** Below this, Chronicle's 64 KiB of index in each file would outweigh the records. */
    static final long ROLL_BYTES_MIN = 128L << 10;

    /** A file is mapped as one ByteBuffer by a scan, which ends at 2 GiB. */
    static final long ROLL_BYTES_MAX = 1L << 30;

    /** The least that a log may be limited to: a few files, and what is under way. 64 MiB. */
    public static final long LIMIT_BYTES_MIN = 64L << 20;

    /**
     * A log of at most so many bytes: files are a sixteenth of it, but no smaller than what Chronicle makes them, less what
     * is prepared ahead of the writer, so that none is longer than the blocks that it needs. A quarter of it must be free beside it,
     * 1 GiB at most.
     */
    public static LogConfig limited(Path folder, long limitBytes) {
        long blocks = Math.clamp(limitBytes / 16 / QueueFiles.BLOCK_BYTES, 1, 16);
        return new LogConfig(folder, blocks * QueueFiles.BLOCK_BYTES - Pretoucher.AHEAD_BYTES - Room.STEP_BYTES,
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
