package org.posthouse.logstore.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that were cut from a log and must still be deleted, oldest first, because a log with a gap is unusable.
 * Confined to the discarding thread, one at a time, except {@link #stop}.
 */
public final class RetiredFiles {
    private static final Logger LOG = LoggerFactory.getLogger(RetiredFiles.class);

    private final Path folder;
    private final LogFiles files;
    private final SpareFiles spares;
    private final SyncedPositionFile safe;
    private final ArrayDeque<Path> going = new ArrayDeque<>();

    /** The last file that could not be deleted; the process's log reports it once. */
    private Path stuck;

    /** Written by the thread that closes the log, read by the discarding thread. */
    private volatile boolean stopped;

    public RetiredFiles(Path folder, LogFiles files, SpareFiles spares, SyncedPositionFile safe) {
        this.folder = folder;
        this.files = files;
        this.spares = spares;
        this.safe = safe;
    }

    /**
     * Deletes these files after earlier ones, or keeps them as spare files.
     *
     * @param usedBytesMax files may be kept up to this; 0: none
     */
    public void discard(List<Path> gone, long usedBytesMax) {
        long room = usedBytesMax - files.stayingBytes();
        going.addAll(gone);
        while (!going.isEmpty() && tryRetire(going.getFirst(), room)) {
            files.gone(going.removeFirst());
        }
        spares.trim(room);
    }

    private boolean tryRetire(Path file, long room) {
        if (stopped) {
            return false;
        }
        try {
            // Its zeros could reach the disk although a power cut undoes the cut. That would be a gap before the
            // position reported as synced.
            spares.retire(file, safe.isOfWhatStays() ? 0 : room);
            return true;
        } catch (IOException e) {
            if (!file.equals(stuck)) {
                LOG.warn("log {}: {} cannot be removed, and takes room as all that is newer does until it can be: {}", folder,
                        file.getFileName(), LogException.words(e));
            }
            stuck = file;
            return false;
        }
    }

    /** A running {@link #discard} ends with its current file. */
    public void stop() {
        stopped = true;
    }
}
