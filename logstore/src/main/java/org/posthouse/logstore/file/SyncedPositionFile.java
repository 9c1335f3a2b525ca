package org.posthouse.logstore.file;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * The {@link SyncedPosition} of an open log. The syncing thread sets it; it is reset when all records that it covers were
 * cut. Otherwise, after a power cut that loses the unsynced rest, the log would end before it and look damaged.
 * Thread-safe; it blocks.
 */
public final class SyncedPositionFile {
    private final Path folder;
    private final LongSupplier firstPosition;

    /** @param firstPosition of the oldest record that has not been cut; read by any thread */
    public SyncedPositionFile(Path folder, LongSupplier firstPosition) {
        this.folder = folder;
        this.firstPosition = firstPosition;
    }

    /** Stores that all records up to this position are on the disk, unless they have been cut meanwhile. */
    public synchronized void tell(long position, Disk.Forcer forcer) throws IOException {
        if (position >= firstPosition.getAsLong()) {
            new SyncedPosition(position).write(folder, forcer);
        }
    }

    /**
     * Whether the stored position covers any record that has not been cut. If not, resets it, so that the cut records
     * may disappear.
     */
    public synchronized boolean isOfWhatStays() throws IOException {
        long told = SyncedPosition.read(folder).position();
        if (told > 0 && told < firstPosition.getAsLong()) {
            new SyncedPosition(0).write(folder, Disk::force);
            return false;
        }
        return told > 0;
    }
}
