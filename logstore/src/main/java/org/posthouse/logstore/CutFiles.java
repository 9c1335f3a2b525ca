package org.posthouse.logstore;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that were cut from a log and are still to be removed, the oldest first: a log with a hole is none. Confined to whoever discards, one thread at a
 * time, but for {@link #stop}.
 */
final class CutFiles {
    private static final Logger LOG = LoggerFactory.getLogger(CutFiles.class);

    private final Path folder;
    private final LogFiles files;
    private final SpareFiles spares;
    private final ToldSafe safe;
    private final ArrayDeque<Path> going = new ArrayDeque<>();

    /** The last that could not be removed, of which the log of the process tells once. */
    private Path stuck;

    /** Written by whoever is about to close the log, read by who discards. */
    private volatile boolean stopped;

    CutFiles(Path folder, LogFiles files, SpareFiles spares, ToldSafe safe) {
        this.folder = folder;
        this.files = files;
        this.spares = spares;
        this.safe = safe;
    }

    /** Removes these behind those before, or keeps them as spare files. @param usedBytesMax up to which files may be kept; 0: none */
    void discard(List<Path> gone, long usedBytesMax) {
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
            // Its zeros could come to the disk though a power cut undoes that it was cut: a hole before what was told to be there.
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

    /** A {@link #discard} that is under way ends with the file that it is at. */
    void stop() {
        stopped = true;
    }
}
