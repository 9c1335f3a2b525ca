package org.posthouse.relay.memory;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How much memory one relay has for jobs with histories in memory: those are shared evenly by the ranks that have one, and messages that wait for
 * a receive may have half as much beside them. Thread-safe.
 */
public final class HistoryBudget {
    /** Each rank has as much, however many there are: a few of the largest frames. */
    static final long RANK_BYTES_MIN = 256 << 10;

    private static final long BYTES_MAX = 1L << 30;

    private final long bytesMax;
    private final AtomicInteger ranks = new AtomicInteger();

    /** Payload bytes of messages that no receive has got. */
    private final AtomicLong waiting = new AtomicLong();

    /** @param bytesMax for the histories of all ranks */
    public HistoryBudget(long bytesMax) {
        this.bytesMax = bytesMax;
    }

    /** A quarter of the heap, 1 GiB at most. */
    public static HistoryBudget ofHeap() {
        return new HistoryBudget(Math.min(BYTES_MAX, Runtime.getRuntime().maxMemory() / 4));
    }

    /** A rank's history begins. */
    void begin() {
        ranks.incrementAndGet();
    }

    /** The job of so many ranks with histories has ended. */
    void end(int count) {
        ranks.addAndGet(-count);
    }

    /** So many more bytes wait for a receive. */
    void waits(long bytes) {
        waiting.addAndGet(bytes);
    }

    /** Whether senders may go on whose messages wait for a receive. */
    boolean hasRoomToWait() {
        return waiting.get() < bytesMax / 2;
    }

    /** Bytes that the history of one rank may have. */
    long share() {
        return Math.max(RANK_BYTES_MIN, bytesMax / Math.max(1, ranks.get()));
    }
}
