package org.posthouse.logstore;

import net.openhft.chronicle.core.time.TimeProvider;

/**
 * The clock that Chronicle rolls by. It does not tell the time: it stands still at the hour whose number is the number
 * of the current file, and is moved on by one hour to begin the next file. So files follow each other by size, and no
 * change of the host's clock can reach them. */
final class FileClock implements TimeProvider {
    /** Written by the log's owner, read by any thread: Chronicle asks from its own too. */
    private volatile int file;

    FileClock(int file) {
        this.file = file;
    }

    int file() {
        return file;
    }

    void nextFile() {
        file = Math.addExact(file, 1);
    }

    @Override
    public long currentTimeMillis() {
        return file * (long) QueueFiles.CYCLE.lengthInMillis();
    }
}
