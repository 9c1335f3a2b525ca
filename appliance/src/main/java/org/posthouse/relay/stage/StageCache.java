package org.posthouse.relay.stage;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.posthouse.launch.stage.ContentStore;
import org.posthouse.launch.stage.StageException;
import org.posthouse.launch.stage.TemporaryStores;
import org.posthouse.status.RelayMetrics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A relay's store of the files that jobs take to their nodes, and the threads that work on its disk. The store is opened
 * when the first file is named; a relay without nodes has none. Thread-safe.
 *
 * <p>At most {@link #UNDER_WAY_MAX} files leave at once, each with at most {@link org.posthouse.wire.Wire#STAGE_WINDOW_BYTES} bytes in memory: 64 MiB
 * together. Further ones wait for their turn.
 */
public final class StageCache {
    private static final Logger LOG = LoggerFactory.getLogger(StageCache.class);

    /** Most files that leave at once. */
    static final int UNDER_WAY_MAX = 64;

    /** Bytes of a file in one frame. */
    static final int CHUNK_BYTES = 64 * 1024;

    private static final long CLOSE_SECONDS = 10;

    private final Optional<Path> folder;
    private final long bytesMax;
    private final ExecutorService arrivals = thread("posthouse-stage-in");
    private final ExecutorService departures = thread("posthouse-stage-out");
    private final AtomicLong bytesIn = new AtomicLong();
    private final AtomicLong bytesOut = new AtomicLong();

    /** As of the last work on the store. */
    private final AtomicLong bytesStored = new AtomicLong();

    // Guarded by this.
    private ContentStore store;
    private boolean isTemporary;
    private boolean isClosed;

    // Confined to the thread for departures.
    private final Set<StageDownloads.Download> underWay = new HashSet<>();
    private final Deque<StageDownloads.Download> waiting = new ArrayDeque<>();

    /**
     * @param folder of the store; empty: a temporary one
     * @param bytesMax of all files in it
     */
    public StageCache(Optional<Path> folder, long bytesMax) {
        this.folder = folder;
        this.bytesMax = bytesMax;
    }

    private static ExecutorService thread(String name) {
        return Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name(name).factory());
    }

    /** What a launcher's connection sends. */
    public StageUploads uploads(StageOutput output) {
        return new StageUploads(this, output);
    }

    /** What an agent's connection fetches. */
    public StageDownloads downloads(StageOutput output) {
        return new StageDownloads(this, output);
    }

    /** What was carried so far. Does not wait for the disk. */
    public RelayMetrics.Staging status() {
        return new RelayMetrics.Staging(bytesIn.get(), bytesOut.get(), bytesStored.get());
    }

    void countIn(int bytes) {
        bytesIn.addAndGet(bytes);
    }

    void countOut(int bytes) {
        bytesOut.addAndGet(bytes);
    }

    /** The store, opened if it is not. Blocks on the disk. */
    synchronized ContentStore store() throws StageException {
        if (isClosed) {
            throw new StageException("the relay is stopping");
        }
        if (store == null) {
            isTemporary = folder.isEmpty();
            store = isTemporary ? TemporaryStores.open("posthouse-relay-stage-", bytesMax) : ContentStore.open(folder.get(), bytesMax);
        }
        return store;
    }

    void arrive(Runnable work) {
        execute(arrivals, work);
    }

    void depart(Runnable work) {
        execute(departures, work);
    }

    private void execute(ExecutorService thread, Runnable work) {
        try {
            thread.execute(() -> {
                try {
                    work.run();
                    noteStored();
                } catch (RuntimeException e) {
                    LOG.error("a fault in staging", e);
                }
            });
        } catch (RejectedExecutionException e) {
            // The relay has stopped, and all connections have ended.
            assert thread.isShutdown();
        }
    }

    private synchronized void noteStored() {
        bytesStored.set(store == null ? 0 : store.bytesUsed());
    }

    // ---- departures, on their thread

    void begin(StageDownloads.Download download) {
        if (underWay.size() < UNDER_WAY_MAX) {
            underWay.add(download);
            download.send();
        } else {
            waiting.add(download);
        }
    }

    boolean isUnderWay(StageDownloads.Download download) {
        return underWay.contains(download);
    }

    void end(StageDownloads.Download download) {
        waiting.remove(download);
        if (underWay.remove(download) && !waiting.isEmpty()) {
            begin(waiting.remove());
        }
    }

    /** Ends all work, and lets another process use the folder. A temporary one is removed. Blocks on the disk. */
    public void close() {
        arrivals.shutdown();
        departures.shutdown();
        try {
            if (!arrivals.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS) || !departures.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
                LOG.warn("files are still being staged {} s after the relay's stop", CLOSE_SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            isClosed = true;
            try {
                if (store != null && isTemporary) {
                    TemporaryStores.remove(store);
                } else if (store != null) {
                    store.close();
                }
            } catch (StageException e) {
                LOG.warn("{}", e.getMessage());
            }
            store = null;
        }
    }
}
