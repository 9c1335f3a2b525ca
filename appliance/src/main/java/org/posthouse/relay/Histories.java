package org.posthouse.relay;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Where the histories of a relay's ranks are, and the one thread that reads them. Owned by the relay. */
record Histories(LogJournal journal, ExecutorService thread) {
    static Histories of(LogJournal journal) {
        return new Histories(
                journal,
                Executors.newSingleThreadExecutor(
                        Thread.ofPlatform().daemon().name("posthouse-history").factory()));
    }

    /** Reads no more. Blocks until what is being read is read. */
    void close() {
        thread.close();
    }
}
