package org.posthouse.wan;

/**
 * One direction of a way: the bottleneck that its connections share. Confined to the emulator's thread.
 *
 * <p>Connections that have something send one piece each in turn. A piece leaves when the one before has left; when it has
 * left, it is on its way for the delay. What the thread is late for is made good ({@link WanBottleneck}), as long as the flows have pieces.
 */
final class WanDirection {
    private final WanEmulator emulator;
    private final WanBottleneck<WanFlow> bottleneck;
    private boolean silent;
    private boolean scheduled;
    private long bytes;

    WanDirection(WanEmulator emulator, WanShape shape) {
        this.emulator = emulator;
        this.bottleneck = new WanBottleneck<>(shape, System.nanoTime());
    }

    WanShape shape() {
        return bottleneck.shape();
    }

    /** From now on; what has left is not called back. */
    void shape(WanShape newShape) {
        bottleneck.shape(newShape);
    }

    boolean isSilent() {
        return silent;
    }

    /** Nothing leaves, and nobody is told; or what waits leaves. */
    void silent(boolean newSilent) {
        if (silent && !newSilent) {
            bottleneck.idleUntil(System.nanoTime());
        }
        silent = newSilent;
        if (!silent) {
            serveLater();
        }
    }

    /** Bytes that have left. */
    long bytes() {
        return bytes;
    }

    /** {@code flow} has a piece; it stands in line once. */
    void enter(WanFlow flow) {
        bottleneck.enter(flow);
        serveLater();
    }

    void leave(WanFlow flow) {
        bottleneck.leave(flow);
    }

    private void serveLater() {
        if (!scheduled && !silent && !bottleneck.isIdle()) {
            scheduled = true;
            emulator.at(bottleneck.freeAtNanos(), this::serve);
        }
    }

    /** Lets all leave whose time has come. */
    private void serve() {
        scheduled = false;
        long now = System.nanoTime();
        for (WanFlow flow = nextAt(now); flow != null; flow = nextAt(now)) {
            WanPiece piece = flow.next();
            long leftAtNanos = bottleneck.leave(piece.bytes(), piece.readAtNanos());
            bytes += piece.bytes();
            flow.left(piece, leftAtNanos, leftAtNanos + shape().delayNanos() + emulator.jitterNanos(shape()));
        }
        serveLater();
    }

    private WanFlow nextAt(long nanos) {
        return silent ? null : bottleneck.next(nanos);
    }
}
