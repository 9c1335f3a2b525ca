package org.posthouse.wan;

import java.util.concurrent.TimeUnit;

/**
 * What one direction between two sites does to bytes. Immutable.
 *
 * @param delayNanos how long a byte is on its way, at least
 * @param jitterNanos how much longer at most, drawn anew for each piece; pieces never overtake each other
 * @param bytesPerSecond how many bytes leave at most, all connections together; 0: as many as the machine can
 */
public record WanShape(long delayNanos, long jitterNanos, long bytesPerSecond) {
    /** No network at all. */
    public static final WanShape NONE = new WanShape(0, 0, 0);

    /** So much of a second leaves in one piece: what one connection may be ahead of another. */
    private static final double PIECE_SECONDS = 0.001;

    private static final int PIECE_BYTES_MIN = 1_500;
    private static final int PIECE_BYTES_MAX = 64 * 1024;
    private static final int RECEIVE_BYTES_MIN = 64 * 1024;
    private static final int RECEIVE_BYTES_MAX = 4 * 1024 * 1024;

    public WanShape {
        if (delayNanos < 0 || jitterNanos < 0 || bytesPerSecond < 0) {
            throw new IllegalArgumentException(
                    "delay " + delayNanos + " ns, jitter " + jitterNanos + " ns, " + bytesPerSecond + " B/s, expected 0 or more");
        }
    }

    /** @param delayMs one way @param megabitsPerSecond 0 for no limit */
    public static WanShape of(double delayMs, double megabitsPerSecond) {
        return new WanShape(
                Math.round(delayMs * TimeUnit.MILLISECONDS.toNanos(1)), 0, Math.round(megabitsPerSecond * 1e6 / 8));
    }

    /** The same with some of it up to {@code jitterMs} later. */
    public WanShape jitter(double jitterMs) {
        return new WanShape(delayNanos, Math.round(jitterMs * TimeUnit.MILLISECONDS.toNanos(1)), bytesPerSecond);
    }

    /** The most bytes that leave as one piece. */
    int pieceBytes() {
        if (bytesPerSecond == 0) {
            return PIECE_BYTES_MAX;
        }
        return (int) Math.clamp((long) (bytesPerSecond * PIECE_SECONDS), PIECE_BYTES_MIN, PIECE_BYTES_MAX);
    }

    /** What may wait in front of the bottleneck, in the kernel: 10 ms of it; 0 for what the kernel thinks best. */
    int receiveBytes() {
        return bytesPerSecond == 0 ? 0 : (int) Math.clamp(bytesPerSecond / 100, RECEIVE_BYTES_MIN, RECEIVE_BYTES_MAX);
    }

    /** How long {@code bytes} take to leave. */
    long leavingNanos(int bytes) {
        return bytesPerSecond == 0 ? 0 : Math.round(bytes * 1e9 / bytesPerSecond);
    }
}
