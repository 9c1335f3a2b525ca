package org.posthouse.relay;

import java.util.function.LongSupplier;

/**
 * A clock that stands still during a turn of a strand: it is read at most once a turn, and only on request. Confined to
 * the strand.
 */
final class StrandClock implements LongSupplier {
    private final LongSupplier nanoTime;
    private long now;
    private boolean read;

    StrandClock(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    @Override
    public long getAsLong() {
        if (!read) {
            read = true;
            now = nanoTime.getAsLong();
        }
        return now;
    }

    void endTurn() {
        read = false;
    }
}
