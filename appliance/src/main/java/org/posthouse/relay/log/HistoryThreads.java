package org.posthouse.relay.log;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The log with the histories and images of a relay's ranks, the one thread that reads them, and the one that writes
 * images. Owned by the relay.
 */
public record HistoryThreads(RelayLog log, ExecutorService thread, ExecutorService images) {
    public static HistoryThreads of(RelayLog log) {
        return new HistoryThreads(
                log,
                new ThreadPoolExecutor(
                        1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Thread.ofPlatform().daemon().name("posthouse-history").factory(),
                        new ThreadPoolExecutor.DiscardPolicy()), // Cuts of the log submit work after close.
                log.background());
    }

    /** Stops reading; blocks until the current reads are done. */
    public void close() {
        thread.close();
    }
}
