package org.posthouse.relay;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Where the histories and the images of a relay's ranks are, the one thread that reads them, and the one that writes images.
 * Owned by the relay.
 */
record Histories(LogJournal journal, ExecutorService thread, ExecutorService images) {
    static Histories of(LogJournal journal) {
        return new Histories(
                journal,
                new ThreadPoolExecutor(
                        1, 1, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), Thread.ofPlatform().daemon().name("posthouse-history").factory(),
                        new ThreadPoolExecutor.DiscardPolicy()), // The log may be cut until it is closed, which is later.
                journal.background());
    }

    /** Reads no more. Blocks until what is being read is read. */
    void close() {
        thread.close();
    }
}
