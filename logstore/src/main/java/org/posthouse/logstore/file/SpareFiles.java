package org.posthouse.logstore.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that a log no longer needs, overwritten with zeros for reuse under another name. Their pages are in memory, and
 * getting those is most of the cost of a new file. One thread at a time retires and trims, which blocks; the log's
 * owner takes files.
 *
 * <p>A file gets a name of the log only when all of it is zero. It is emptied only when it no longer has such a name
 * and no cursor has it open. So nobody reads a file's earlier content. (Another process may have it open; a scan
 * therefore checks at its end that the files it read are still there.)
 *
 * <p>Files are kept only for a short time. A file that is not reused soon would be written to the disk for nothing, and
 * the kernel would reclaim its pages.
 */
public final class SpareFiles {
    /** 512 MiB: two files of the default size. Their pages stay dirty as long as they are kept here. */
    static final long BYTES_MAX = 512L << 20;

    /** 20 s, less than the 30 s after which Linux writes dirty pages to the disk. */
    static final long IDLE_NANOS_MAX = TimeUnit.SECONDS.toNanos(20);

    private static final Logger LOG = LoggerFactory.getLogger(SpareFiles.class);
    private static final String WORK_FOLDER = "spare.tmp";
    private static final int STEP_BYTES = 1 << 20;

    /** @param since when it was retired, in nanoseconds of the clock */
    private record Spare(Path file, long bytes, long since) {}

    private final Path folder;
    private final LongSupplier nanoClock;
    private final AtomicInteger cursors = new AtomicInteger();
    /** The file retired last is at the end and is taken first, so that the others expire. Guarded by this. */
    private final ArrayDeque<Spare> spares = new ArrayDeque<>();

    /** Written under this object's lock, read by any thread. */
    private volatile long bytes;

    /** Written by any thread, read by the thread that retires and trims. */
    private volatile boolean stopped;

    public SpareFiles(Path logFolder, LongSupplier nanoClock) {
        this.folder = logFolder.resolve(WORK_FOLDER);
        this.nanoClock = nanoClock;
    }

    /** Deletes the files of an earlier writer. Called under the folder's lock. */
    public static void clean(Path logFolder) throws IOException {
        QueueFiles.removeFolder(logFolder.resolve(WORK_FOLDER));
    }

    /** Notes that a cursor may have log files open. Until it is closed, retired files are deleted. Any thread. */
    public void cursorOpened() {
        cursors.incrementAndGet();
    }

    public void cursorClosed() {
        cursors.decrementAndGet();
    }

    /** Bytes of the spare files. Any thread. */
    public long bytes() {
        return bytes;
    }

    /**
     * Renames a spare file to {@code as}.
     *
     * @param bytesMin minimum size of the file
     * @return its bytes, all of them allocated; 0 if there is none
     */
    public long take(Path as, long bytesMin) {
        Spare spare = pollLast(bytesMin);
        if (spare == null) {
            return 0;
        }
        try {
            Files.move(spare.file(), as, StandardCopyOption.ATOMIC_MOVE);
            return spare.bytes();
        } catch (IOException e) {
            LOG.warn("log {}: {} begins as a new file: {}", folder.getParent(), as.getFileName(), e.toString());
            delete(spare.file());
            return 0;
        }
    }

    /**
     * Takes a file out of the log. Blocks.
     *
     * @param bytesMax limit for all spare files; a file beyond it is deleted
     */
    void retire(Path file, long bytesMax) throws IOException {
        try {
            long size = Files.size(file);
            if (stopped || bytes + size > Math.min(bytesMax, BYTES_MAX)) {
                Files.delete(file);
            } else {
                keep(file, size);
            }
        } catch (NoSuchFileException e) {
            LOG.debug("log {}: {} was gone already", folder.getParent(), file.getFileName());
        }
    }

    private void keep(Path file, long size) throws IOException {
        Files.createDirectories(folder);
        Path spare = Files.move(file, folder.resolve(file.getFileName()), StandardCopyOption.ATOMIC_MOVE);
        if (cursors.get() > 0) {
            Files.delete(spare);
            return;
        }
        count(size);
        try {
            empty(spare, size);
        } catch (IOException e) {
            count(-size);
            Files.delete(spare);
            LOG.debug("log {}: {} is not used again: {}", folder.getParent(), file.getFileName(), e.toString());
            return;
        }
        synchronized (this) {
            spares.addLast(new Spare(spare, size, nanoClock.getAsLong()));
        }
    }

    private static void empty(Path file, long size) throws IOException {
        ByteBuffer zeros = ByteBuffer.allocateDirect((int) Math.min(STEP_BYTES, size));
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            for (long at = 0; at < size; at += zeros.position()) {
                zeros.clear().limit((int) Math.min(zeros.capacity(), size - at));
                channel.write(zeros, at);
            }
        }
    }

    /** Deletes files that are too old, or exceed the limit. Blocks. */
    void trim(long bytesMax) {
        for (Spare gone = pollFirst(bytesMax); gone != null; gone = pollFirst(bytesMax)) {
            delete(gone.file());
        }
    }

    private synchronized Spare pollLast(long bytesMin) {
        Spare last = spares.peekLast();
        return last == null || last.bytes() < bytesMin ? null : taken(spares.pollLast());
    }

    private synchronized Spare pollFirst(long bytesMax) {
        Spare first = spares.peekFirst();
        boolean stays = first == null
                || bytes <= bytesMax && !stopped && nanoClock.getAsLong() - first.since() < IDLE_NANOS_MAX;
        return stays ? null : taken(spares.pollFirst());
    }

    private Spare taken(Spare spare) {
        count(-spare.bytes());
        return spare;
    }

    private synchronized void count(long more) {
        bytes += more;
    }

    private void delete(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            LOG.warn("log {}: {} is left until the log is opened again: {}", folder.getParent(), file, e.toString());
        }
    }

    /** From now on retired files are deleted, and the next {@link #trim} deletes the spare ones. Any thread. */
    public void stop() {
        stopped = true;
    }

    /** Deletes all spare files. No other thread may still retire files. */
    public void close() {
        stop();
        trim(0);
        delete(folder);
    }
}
