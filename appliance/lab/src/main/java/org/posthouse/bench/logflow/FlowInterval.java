package org.posthouse.bench.logflow;

/**
 * About a second of {@code bench logflow}.
 *
 * @param megabytesPerSecond payload delivered
 * @param logBytes of the log's files, at its end
 * @param dirty of the whole system, at its end
 */
record FlowInterval(double megabytesPerSecond, long logBytes, DirtyPages dirty) {
    /** Whether the kernel slows down who writes. */
    boolean isSlowed() {
        return dirty.slowBytes() > 0 && dirty.bytes() >= dirty.slowBytes();
    }
}
