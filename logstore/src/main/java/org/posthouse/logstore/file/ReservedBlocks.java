package org.posthouse.logstore.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;

/**
 * Tracks up to where the blocks of the current log file are allocated. The writer goes no further, because writing
 * beyond would kill the process on a full disk. Confined to the log's owner.
 */
public final class ReservedBlocks {
    /** 4 MiB: bytes reserved at once. At 1 GB/s of appends, that is one call every 4 ms. */
    public static final long STEP_BYTES = 4 << 20;

    /** 256 KiB: space that Chronicle needs beside a record, for its headers and two levels of its index. */
    public static final long SLACK_BYTES = 256 << 10;

    /** 128 KiB: Chronicle's locks and file metadata, which it also writes through memory. */
    private static final long METADATA_BYTES = 128 << 10;

    private final Path folder;
    private int file = -1;
    private long end;

    public ReservedBlocks(Path folder) {
        this.folder = folder;
    }

    /**
     * Reserves blocks for a file that the writer begins or continues. It reserves {@code bytes} of the file, or all of
     * its existing part and enough beyond for a record. On failure nothing changes.
     */
    public boolean tryBegin(int number, long bytes) {
        Path path = QueueFiles.file(folder, number);
        try {
            boolean begun = Files.isRegularFile(path);
            long to = begun ? Files.size(path) + SLACK_BYTES : bytes;
            Path ready = begun ? path : QueueFiles.ready(folder, number);
            if (!tryMetadata() || !FileBlocks.tryReserve(ready, 0, to)) {
                Files.deleteIfExists(QueueFiles.ready(folder, number));
                return false;
            }
            file = number;
            end = to;
            return true;
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    /** Whether another file may be begun now. Chronicle opens it, and a failure would break the log. */
    public boolean mayBegin() {
        try {
            return tryMetadata();
        } catch (IOException e) {
            throw unusable(folder, e);
        }
    }

    private boolean tryMetadata() throws IOException {
        return FileBlocks.tryReserve(folder.resolve(SingleChronicleQueue.QUEUE_METADATA_FILE), 0, METADATA_BYTES);
    }

    /** Notes that the writer begins a file of {@code bytes} bytes, all of them allocated. */
    public void begin(int number, long bytes) {
        file = number;
        end = bytes;
    }

    /** Whether the file's blocks are allocated up to there. */
    public boolean covers(long upTo) {
        return upTo <= end;
    }

    /** Reserves up to there, and some more, unless the disk is full. */
    public boolean tryReach(long upTo) {
        Path path = QueueFiles.file(folder, file);
        try {
            long block = (upTo + QueueFiles.BLOCK_BYTES - 1) / QueueFiles.BLOCK_BYTES * QueueFiles.BLOCK_BYTES;
            long ample = Math.min(upTo + STEP_BYTES, block);
            for (long to : new long[] {ample, upTo}) {
                if (FileBlocks.tryReserve(path, end, to)) {
                    end = to;
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            throw unusable(path, e);
        }
    }

    private static LogException unusable(Path path, IOException e) {
        return unusable(path, "has no blocks of its disk", e);
    }

    /** The exception for a file that cannot be used for a reason other than lack of space. */
    public static LogException unusable(Path path, String what, IOException e) {
        return new LogException(path, what + ": " + LogException.words(e),
                "check that the file system is local and writable", e);
    }
}
