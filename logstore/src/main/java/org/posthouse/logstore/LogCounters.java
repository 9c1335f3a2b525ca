package org.posthouse.logstore;

import java.util.concurrent.atomic.AtomicLong;

/** The numbers behind {@link LogStats}. Written by the log's owner only, in order, without fences; read by anyone. */
final class LogCounters {
    private final AtomicLong records = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong position = new AtomicLong();
    private final AtomicLong files = new AtomicLong();
    private final AtomicLong rolls = new AtomicLong();
    private final long epoch;

    LogCounters(long position, long epoch, long files) {
        this.position.setRelease(position);
        this.files.setRelease(files);
        this.epoch = epoch;
    }

    void appended(long recordPosition, long recordBytes) {
        records.setRelease(records.getPlain() + 1);
        bytes.setRelease(bytes.getPlain() + recordBytes);
        position.setRelease(recordPosition);
    }

    void rolled(long rollsSinceOpen) {
        files.setRelease(files.getPlain() + rollsSinceOpen - rolls.getPlain());
        rolls.setRelease(rollsSinceOpen);
    }

    /** Of the last record that was published. */
    long position() {
        return position.getAcquire();
    }

    /** Files begun since open. */
    long rolls() {
        return rolls.getAcquire();
    }

    LogStats snapshot() {
        return new LogStats(records.getAcquire(), bytes.getAcquire(), position.getAcquire(), epoch, files.getAcquire(),
                rolls.getAcquire());
    }
}
