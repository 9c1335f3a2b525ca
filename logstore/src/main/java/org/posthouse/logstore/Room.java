package org.posthouse.logstore;

import java.util.function.LongSupplier;

/**
 * Whether the file system still has room for appends. It asks the system once per {@link #STEP_BYTES} appended while
 * there is ample room, and every time while there is not. Confined to the log's owner.
 */
final class Room {
    /** 1 MiB: at 1 GB/s of appends, one question per ms. */
    static final long STEP_BYTES = 1 << 20;

    private final LongSupplier freeBytes;
    private final long minFreeBytes;
    private long untilNextLook;
    private long free;
    private boolean room;
    private boolean ample;

    Room(LongSupplier freeBytes, long minFreeBytes) {
        this.freeBytes = freeBytes;
        this.minFreeBytes = minFreeBytes;
    }

    boolean hasRoom() {
        look();
        return room;
    }

    /** Whether twice as much is free as appends need: as seen when the system was last asked. */
    boolean isAmple() {
        look();
        return ample;
    }

    private void look() {
        if (untilNextLook <= 0) {
            lookNow();
        }
    }

    /** Asks the system. */
    void lookNow() {
        free = freeBytes.getAsLong();
        room = free >= minFreeBytes;
        ample = free >= 2 * minFreeBytes;
        untilNextLook = ample ? STEP_BYTES : 0;
    }

    /** What was free when it was asked last. */
    long freeBytes() {
        return free;
    }

    /** What must be, for writers to go on. */
    long minFreeBytes() {
        return minFreeBytes;
    }

    void taken(long bytes) {
        untilNextLook -= bytes;
    }
}
