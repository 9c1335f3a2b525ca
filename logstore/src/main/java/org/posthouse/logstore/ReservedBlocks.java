package org.posthouse.logstore;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;

/**
 * How far the blocks of the file that a log's writer is at are the file's own. The writer goes no further: beyond, a full
 * disk would end the process. Confined to the log's owner.
 */
final class ReservedBlocks {
    /** 4 MiB: how much more is reserved at once. At 1 GB/s of appends, one call every 4 ms. */
    static final long STEP_BYTES = 4 << 20;

    /** Chronicle needs it beside a record: its headers, two levels of its index. 256 KiB. */
    static final long SLACK_BYTES = 256 << 10;

    /** Chronicle's locks and what it knows of its files; it writes them through memory too. 128 KiB. */
    private static final long METADATA_BYTES = 128 << 10;

    private final Path folder;
    private int file = -1;
    private long end;

    ReservedBlocks(Path folder) {
        this.folder = folder;
    }

    /**
     * The writer goes on in a file that has records already, or begins one: reserves so much of it, or all that there is of it
     * and enough beyond for a record. If it cannot, everything stays as it was.
     */
    boolean tryBegin(int number, long bytes) {
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

    /** Whether another file may be begun just now, which Chronicle opens: if it cannot, the log is broken. */
    boolean mayBegin() {
        try {
            return tryMetadata();
        } catch (IOException e) {
            throw unusable(folder, e);
        }
    }

    private boolean tryMetadata() throws IOException {
        return FileBlocks.tryReserve(folder.resolve(SingleChronicleQueue.QUEUE_METADATA_FILE), 0, METADATA_BYTES);
    }

    /** The writer begins a file that has so many bytes, all with blocks of their own. */
    void begin(int number, long bytes) {
        file = number;
        end = bytes;
    }

    /** Whether the file has its blocks up to there. */
    boolean covers(long upTo) {
        return upTo <= end;
    }

    /** Reserves up to there, and some more, unless the disk is full. */
    boolean tryReach(long upTo) {
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

    /** A file of which that is so, for another reason than want of room. */
    static LogException unusable(Path path, String what, IOException e) {
        return new LogException(path, what + ": " + LogException.words(e),
                "check that the file system is local and writable", e);
    }
}
