package org.posthouse.relay;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Where the histories and the images of a relay's ranks are, the one thread that reads them, and the one that writes images.
 * Owned by the relay.
 */
record Histories(LogJournal journal, ExecutorService thread, ExecutorService images) {
    static Histories of(LogJournal journal) {
        return new Histories(
                journal,
                Executors.newSingleThreadExecutor(
                        Thread.ofPlatform().daemon().name("posthouse-history").factory()),
                journal.background());
    }

    /** Reads no more. Blocks until what is being read is read. */
    void close() {
        thread.close();
    }
}
