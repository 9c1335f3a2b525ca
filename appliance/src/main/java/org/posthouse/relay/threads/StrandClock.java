package org.posthouse.relay.threads;

import java.util.function.LongSupplier;

/**
 * A clock that stands still during a turn of a strand: it is read at most once a turn, and only on request. Confined to
 * the strand.
 */
public final class StrandClock implements LongSupplier {
    private final LongSupplier nanoTime;
    private long now;
    private boolean read;

    public StrandClock(LongSupplier nanoTime) {
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

    public void endTurn() {
        read = false;
    }
}
