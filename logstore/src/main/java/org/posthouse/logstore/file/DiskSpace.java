package org.posthouse.logstore.file;

import java.util.function.LongSupplier;

/**
 * Checks that the file system has space for appends. It queries the system once per {@link #STEP_BYTES} appended while
 * there is ample space, and every time otherwise. Confined to the log's owner.
 */
public final class DiskSpace {
    /** 1 MiB: at 1 GB/s of appends, one query per ms. */
    public static final long STEP_BYTES = 1 << 20;

    private final LongSupplier freeBytes;
    private final long minFreeBytes;
    private long untilNextLook;
    private long free;
    private boolean room;
    private boolean ample;

    public DiskSpace(LongSupplier freeBytes, long minFreeBytes) {
        this.freeBytes = freeBytes;
        this.minFreeBytes = minFreeBytes;
    }

    public boolean hasRoom() {
        look();
        return room;
    }

    /** Whether twice the space that appends need was free at the last query. */
    public boolean isAmple() {
        look();
        return ample;
    }

    private void look() {
        if (untilNextLook <= 0) {
            lookNow();
        }
    }

    /** Queries the system. */
    public void lookNow() {
        free = freeBytes.getAsLong();
        room = free >= minFreeBytes;
        ample = free >= 2 * minFreeBytes;
        untilNextLook = ample ? STEP_BYTES : 0;
    }

    /** Free bytes at the last query. */
    public long freeBytes() {
        return free;
    }

    /** Free bytes that writers require. */
    public long minFreeBytes() {
        return minFreeBytes;
    }

    public void taken(long bytes) {
        untilNextLook -= bytes;
    }
}
