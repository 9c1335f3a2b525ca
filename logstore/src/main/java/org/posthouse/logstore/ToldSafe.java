package org.posthouse.logstore;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * The {@link SafeUpTo} of a log that is open: who syncs the log tells it, and it is taken back when all that it tells of has gone. Else a power cut that
 * takes what is left, which nobody had synced, would leave a log that ends before it and looks damaged. Thread-safe; it blocks.
 */
final class ToldSafe {
    private final Path folder;
    private final LongSupplier firstPosition;

    /** @param firstPosition of the oldest record that has not been cut; read by any thread */
    ToldSafe(Path folder, LongSupplier firstPosition) {
        this.folder = folder;
        this.firstPosition = firstPosition;
    }

    /** All up to there is on the disk; if that has been cut meanwhile, nobody needs to know. */
    synchronized void tell(long position, Disk.Forcer forcer) throws IOException {
        if (position >= firstPosition.getAsLong()) {
            new SafeUpTo(position).write(folder, forcer);
        }
    }

    /** Whether anything that has not been cut is told to be on the disk. If not, nothing is told from here on: what was cut may go. */
    synchronized boolean isOfWhatStays() throws IOException {
        long told = SafeUpTo.read(folder).position();
        if (told > 0 && told < firstPosition.getAsLong()) {
            new SafeUpTo(0).write(folder, Disk::force);
            return false;
        }
        return told > 0;
    }
}
