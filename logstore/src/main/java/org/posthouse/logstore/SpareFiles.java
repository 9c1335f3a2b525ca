package org.posthouse.logstore;

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
 * Files that a log does not need any more, overwritten with zeros, for it to begin again under another name: their pages are
 * in memory, which is most of what a new file costs. A file stands under a log's name only when all of it is zero, and
 * is emptied only when it does not stand there any more and no cursor has it open; so nobody reads a file's earlier life. (Another
 * process may have it open: a scan asks at the end whether what it has read was there all the time.)
 *
 * <p>They are kept for a while only: what is not used again soon would be written to the disk for nothing, and its pages
 * are the ones the kernel takes away. One thread at a time retires and trims, which blocks; the log's owner takes.
 */
final class SpareFiles {
    /** 512 MiB: two files of the default size. They are dirty pages as long as they are here. */
    static final long BYTES_MAX = 512L << 20;

    /** Less than the 30 s after which Linux writes dirty pages to the disk. */
    static final long IDLE_NANOS_MAX = TimeUnit.SECONDS.toNanos(20);

    private static final Logger LOG = LoggerFactory.getLogger(SpareFiles.class);
    private static final String WORK_FOLDER = "spare.tmp";
    private static final int STEP_BYTES = 1 << 20;

    /** @param since when it was retired, nanoseconds of the clock */
    private record Spare(Path file, long bytes, long since) {}

    private final Path folder;
    private final LongSupplier nanoClock;
    private final AtomicInteger cursors = new AtomicInteger();
    /** The one retired last is last: it is taken first, and the others may grow old. Guarded by this. */
    private final ArrayDeque<Spare> spares = new ArrayDeque<>();

    /** Written under this object's lock, read by any thread. */
    private volatile long bytes;

    /** Written by any thread, read by who retires and trims. */
    private volatile boolean stopped;

    SpareFiles(Path logFolder, LongSupplier nanoClock) {
        this.folder = logFolder.resolve(WORK_FOLDER);
        this.nanoClock = nanoClock;
    }

    /** Removes what an earlier writer left. Under the folder's lock. */
    static void clean(Path logFolder) throws IOException {
        QueueFiles.removeFolder(logFolder.resolve(WORK_FOLDER));
    }

    /** A cursor may have files of the log open from now on: until it has closed, files that go are deleted. Any thread. */
    void cursorOpened() {
        cursors.incrementAndGet();
    }

    void cursorClosed() {
        cursors.decrementAndGet();
    }

    /** Bytes of the files that are here. Any thread. */
    long bytes() {
        return bytes;
    }

    /**
     * Gives a file of zeros this name.
     *
     * @param bytesMin that it must have
     * @return its bytes, all with blocks of their own; 0 if there is none
     */
    long take(Path as, long bytesMin) {
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
     * @param bytesMax of all files here; one for which there is no room is deleted
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

    /** Deletes what has been here for too long, or what is too much. Blocks. */
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

    /** From now on files that go are deleted; those that are here go with the next {@link #trim}. Any thread. */
    void stop() {
        stopped = true;
    }

    /** Deletes all. Nobody may retire any more. */
    void close() {
        stop();
        trim(0);
        delete(folder);
    }
}
