package org.posthouse.logstore;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongSupplier;

/**
 * Brings what a log has appended to the disk itself, beside the appends, so that it outlives the host: what is in the page cache
 * outlives only its processes. Confined to one thread, which it blocks for milliseconds.
 */
public final class LogSync {
    private final Path folder;
    private final LongSupplier position;
    private final LongSupplier file;
    private final ToldSafe word;
    private final Disk.Forcer forcer;

    /** The oldest file that may have something that is not on the disk. */
    private int first;

    /** The newest file whose name is on the disk. */
    private int named = -1;

    private long safe;
    private long told;
    private boolean broken;

    /**
     * @param position of the last record, read before {@code file}
     * @param file number of the file that it stands in, or of a later one
     * @param first number of the oldest file that may not be on the disk
     * @param word where it is written down
     */
    LogSync(Path folder, LongSupplier position, LongSupplier file, int first, ToldSafe word, Disk.Forcer forcer) {
        this.folder = folder;
        this.position = position;
        this.file = file;
        this.first = first;
        this.word = word;
        this.forcer = forcer;
    }

    /** By fsync: it covers the pages of a file whoever has written them, through whichever mapping (fsync(2)). */
    static void force(Path path) throws IOException {
        boolean isFile = path.toString().endsWith(QueueFiles.SUFFIX);
        try (FileChannel channel = FileChannel.open(path, isFile ? StandardOpenOption.WRITE : StandardOpenOption.READ)) {
            channel.force(false);
        } catch (NoSuchFileException e) {
            if (!isFile) {
                throw e;
            }
            // Truncated meanwhile: nothing of it is needed any more.
        }
    }

    /**
     * Makes safe what has been appended so far.
     *
     * @return the position up to which it is; that of the last time if the process may open no file just now: it is to be tried again
     * @throws LogException if the disk fails: what it has kept is unknown from then on, and nothing becomes safe any more
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
     * Writes down up to where the log is safe, on the disk too: a start after a power cut takes what is missing before that for damage, and cuts what
     * is behind it. As long as it lags, damage in between is cut as well; it costs as much as a sync of little, so not each sync is told of.
     * Nor is it while the process may open no file: it is to be tried again.
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

    /** Up to which position everything is on the disk. */
    public long safe() {
        return safe;
    }
}
