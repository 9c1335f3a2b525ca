package org.posthouse.wan;

import java.util.ArrayDeque;

/**
 * Whose piece leaves next in one direction, and when: one behind the other, of each that has something in turn, and none before it was read. Times go on
 * from each other and not from when somebody looks: the bandwidth is that of the shape, and never more over any time that begins idle. Confined to the
 * emulator's thread; knows no clock.
 *
 * @param <F> who has pieces
 */
final class WanBottleneck<F> {
    private final ArrayDeque<F> waiting = new ArrayDeque<>();
    private WanShape shape;

    /** When the last piece that left has left. */
    private long freeAtNanos;

    WanBottleneck(WanShape shape, long nowNanos) {
        this.shape = shape;
        this.freeAtNanos = nowNanos;
    }

    WanShape shape() {
        return shape;
    }

    /** From now on; what has left is not called back. */
    void shape(WanShape newShape) {
        shape = newShape;
    }

    long freeAtNanos() {
        return freeAtNanos;
    }

    /** Nothing leaves before then. */
    void idleUntil(long nanos) {
        freeAtNanos += Math.max(0, nanos - freeAtNanos);
    }

    /** {@code flow} has a piece; it stands in line once. */
    void enter(F flow) {
        waiting.add(flow);
    }

    void leave(F flow) {
        waiting.remove(flow);
    }

    boolean isIdle() {
        return waiting.isEmpty();
    }

    /** Whose piece may leave at {@code nowNanos}, not in line any more; null if nobody's may. */
    F next(long nowNanos) {
        return freeAtNanos - nowNanos <= 0 ? waiting.poll() : null;
    }

    /** The next piece leaves. @return when its last byte has left */
    long leave(int bytes, long readAtNanos) {
        long start = Math.max(0, readAtNanos - freeAtNanos) + freeAtNanos;
        freeAtNanos = start + shape.leavingNanos(bytes);
        return freeAtNanos;
    }
}
