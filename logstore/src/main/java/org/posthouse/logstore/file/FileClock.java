package org.posthouse.logstore.file;

import net.openhft.chronicle.core.time.TimeProvider;

/**
 * The clock that Chronicle rolls files by. It does not show the time. It stands at the hour whose number is that of the
 * current file, and moves on by one hour to begin the next file. So files roll by size, and changes of the host's clock
 * have no effect. Changed by the log's owner, read by any thread.
 */
public final class FileClock implements TimeProvider {
    /** Written by the log's owner, read by any thread, including Chronicle's own. */
    private volatile int file;

    public FileClock(int file) {
        this.file = file;
    }

    public int file() {
        return file;
    }

    public void nextFile() {
        file = Math.addExact(file, 1);
    }

    @Override
    public long currentTimeMillis() {
        return file * (long) QueueFiles.CYCLE.lengthInMillis();
    }
}
