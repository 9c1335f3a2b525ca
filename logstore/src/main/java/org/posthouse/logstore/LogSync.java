package org.posthouse.logstore;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongSupplier;
import org.posthouse.logstore.file.Disk;
import org.posthouse.logstore.file.FileBlocks;
import org.posthouse.logstore.file.LogException;
import org.posthouse.logstore.file.QueueFiles;
import org.posthouse.logstore.file.SyncedPositionFile;

/**
 * Syncs a log's appended records to the disk, concurrently with appends, so that they survive the host. The page cache
 * survives only the host's processes. Confined to one thread, which it blocks for milliseconds.
 */
public final class LogSync {
    private final Path folder;
    private final LongSupplier position;
    private final LongSupplier file;
    private final SyncedPositionFile word;
    private final Disk.Forcer forcer;

    /** The oldest file that may not be completely on the disk. */
    private int first;

    /** The newest file whose directory entry is on the disk. */
    private int named = -1;

    private long safe;
    private long told;
    private boolean broken;

    /**
     * @param position of the last record, read before {@code file}
     *
     * @param file number of the file that contains it, or of a later one
     * @param first number of the oldest file that may not be on the disk
     * @param word stores the synced position
     */
    LogSync(Path folder, LongSupplier position, LongSupplier file, int first, SyncedPositionFile word, Disk.Forcer forcer) {
        this.folder = folder;
        this.position = position;
        this.file = file;
        this.first = first;
        this.word = word;
        this.forcer = forcer;
    }

    /**
     * Syncs by fsync, which covers all pages of a file, whoever has written them through whichever mapping (fsync(2)).
     */
    static void force(Path path) throws IOException {
        boolean isFile = path.toString().endsWith(QueueFiles.SUFFIX);
        try (FileChannel channel = FileChannel.open(path, isFile ? StandardOpenOption.WRITE : StandardOpenOption.READ)) {
            channel.force(false);
        } catch (NoSuchFileException e) {
            if (!isFile) {
                throw e;
            }
            // The file was cut meanwhile and is not needed any more.
        }
    }

    /**
     * Syncs everything appended so far.
     *
     * @return the position up to which the log is synced; unchanged if the process may open no file now, and the caller
     *         must try again
     * @throws LogException if the disk fails; the disk's content is unknown then, and no later sync succeeds
     */
    public long sync() {
        if (broken) {
            throw new LogException(folder, "was not made safe before", "check the disk, and open the log again");
        }
        long upTo = position.getAsLong();
        int last = Math.toIntExact(file.getAsLong());
        if (upTo <= safe) {
            return safe;
        }
        try {
            for (int number = first; number <= last; number++) {
                forcer.force(QueueFiles.file(folder, number));
            }
            if (last > named) {
                forcer.force(folder);
            }
        } catch (IOException e) {
            if (FileBlocks.isForWantOfFiles(e)) {
                return safe;
            }
            broken = true;
            throw new LogException(folder, upTo, "cannot be made safe: " + LogException.words(e), "check the disk, and open the log again", e);
        }
        first = last;
        named = last;
        safe = upTo;
        return upTo;
    }

    /** Whether {@link #tell} has something to write. */
    public boolean isUntold() {
        return told < safe;
    }

    /**
     * Stores the synced position on the disk. A start after a power cut treats missing records before it as damage, and
     * cuts those after it. While the stored position lags, damage in between is cut as well. Storing costs as much as a
     * small sync, so it is not done after each sync. It is skipped while the process may open no file, and the caller
     * must try again.
     *
     * @throws LogException if the disk fails, as {@link #sync}
     */
    public void tell() {
        if (!isUntold() || broken) {
            return;
        }
        try {
            word.tell(safe, forcer);
        } catch (IOException e) {
            if (FileBlocks.isForWantOfFiles(e)) {
                return;
            }
            broken = true;
            throw new LogException(folder, safe, "is on the disk, and that cannot be written down: " + LogException.words(e),
                    "check the disk, and open the log again", e);
        }
        told = safe;
    }

    /** The position up to which everything is on the disk. */
    public long safe() {
        return safe;
    }
}
