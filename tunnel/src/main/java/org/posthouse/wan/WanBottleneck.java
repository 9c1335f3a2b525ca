package org.posthouse.wan;

/**
 * When the pieces of one direction leave: one behind the other, and none before it was read. Times go on from each other and not from when somebody
 * looks: the bandwidth is that of the shape, and never more over any time that begins idle. Confined to the emulator's thread; knows no clock.
 */
final class WanBottleneck {
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

    /** The next piece leaves. @return when its last byte has left */
    long leave(int bytes, long readAtNanos) {
        long start = Math.max(0, readAtNanos - freeAtNanos) + freeAtNanos;
        freeAtNanos = start + shape.leavingNanos(bytes);
        return freeAtNanos;
    }
}
