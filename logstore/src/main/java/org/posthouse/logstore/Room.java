package org.posthouse.logstore;

import java.util.function.LongSupplier;

/**
 * Whether the file system still has room for appends. It asks the system once per {@link #STEP_BYTES} appended while
 * there is room, and every time while there is none. Confined to the log's owner.
 */
final class Room {
    /** 1 MiB: at 1 GB/s of appends, one question per ms. */
    static final long STEP_BYTES = 1 << 20;

    private final LongSupplier freeBytes;
    private final long minFreeBytes;
    private long untilNextLook;

    Room(LongSupplier freeBytes, long minFreeBytes) {
        this.freeBytes = freeBytes;
        this.minFreeBytes = minFreeBytes;
    }

    boolean hasRoom() {
        if (untilNextLook > 0) {
            return true;
        }
        boolean room = freeBytes.getAsLong() >= minFreeBytes;
        untilNextLook = room ? STEP_BYTES : 0;
        return room;
    }

    void taken(long bytes) {
        untilNextLook -= bytes;
    }
}
