package org.posthouse.logstore;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs ahead of a log's writer through the file, so that the kernel has found, cleared and entered the pages when the
 * writer comes to them: else that is the dearest part of a large record, and most of it can be done by another core. It
 * changes no byte. (Chronicle's own pretoucher is not in its open edition.)
 *
 * <p>Owned by the appender, who calls {@link #follow} after each append; a thread of its own touches the pages and ends with
 * {@link #close}. The file is made longer by the owner only: nobody else can know how long Chronicle has made it meanwhile,
 * and whoever sets the length of a file may cut it.
 */
final class Pretoucher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Pretoucher.class);

    /** How far it runs ahead: some milliseconds of the fastest writer. It goes on when half of that is used up. */
    static final int AHEAD_BYTES = 4 << 20;

    /** A file that has not come so far is not worth it: most logs stay small. */
    static final int WORTH_BYTES = 1 << 20;

    /** What the kernel is asked for at once: meanwhile it lets nobody in this process map or unmap anything. */
    private static final int STEP_BYTES = 128 << 10;

    /**
     * Where the writer stands.
     *
     * @param file number of its file
     * @param offset in it
     * @param end of the file
     */
    private record Stand(int file, long offset, long end) {}

    private final Path folder;
    private final Thread thread;
    private RandomAccessFile opened;
    private int file = -1;
    private long next;
    private long end;

    /** Written by the owner, read by the thread. */
    private volatile Stand stand;

    /** Number of the last file that is to be left alone. Written by the owner, read by the thread. */
    private volatile int left = -1;

    /** Written by the owner, read by the thread. */
    private volatile boolean closed;

    /** Held while pages are touched. */
    private final Object touching = new Object();

    Pretoucher(Path folder) {
        this.folder = folder;
        this.thread = new Thread(this::run, "posthouse-log-pretoucher");
        thread.setDaemon(true);
    }

    /** The writer has come to {@code offset} of the file with this number. Costs a comparison, but every 2 MiB. */
    void follow(int number, long offset) {
        if (number != file) {
            file = number;
            next = WORTH_BYTES;
            close(opened);
            opened = null;
        }
        if (offset >= next) {
            next = offset + AHEAD_BYTES / 2;
            lead(offset);
        }
    }

    /** The pages of the file with this number, which is not begun yet, are there. */
    void leave(int number) {
        file = number;
        next = Long.MAX_VALUE;
        close(opened);
        opened = null;
    }

    /** The writer is in a later file than the one with this number: what is mapped of that is let go of, and it is not made longer any more. */
    void leaveUpTo(int number) {
        left = number;
        synchronized (touching) {
            // Who touched it has seen it, and is done.
            assert left == number;
        }
    }

    private void lead(long offset) {
        try {
            if (opened == null) {
                opened = new RandomAccessFile(QueueFiles.file(folder, file).toFile(), "rw");
                end = opened.length();
            }
            if (offset + AHEAD_BYTES > end) {
                end = (offset + AHEAD_BYTES) / QueueFiles.BLOCK_BYTES * QueueFiles.BLOCK_BYTES + QueueFiles.BLOCK_BYTES;
                if (opened.length() < end) {
                    opened.setLength(end);
                }
            }
        } catch (IOException e) {
            giveUp(e);
        }
        stand = new Stand(file, offset, end);
        if (thread.getState() == Thread.State.NEW) {
            thread.start();
        }
        LockSupport.unpark(thread);
    }

    /** Not again for this file. What the disk has against it, an append will say. */
    private void giveUp(IOException why) {
        LOG.warn("log {}: the pages of file {} are not prepared before they are written, which costs time only: {}", folder,
                file, why.toString());
        next = Long.MAX_VALUE;
    }

    private void run() {
        Stand last = null;
        long touched = 0;
        while (!closed) {
            Stand now = stand;
            if (now == last) {
                LockSupport.park(this);
                continue;
            }
            long from = last != null && last.file() == now.file() ? Math.max(touched, now.offset()) : now.offset();
            touched = touch(now, from);
            last = now;
        }
    }

    /** Returns up to where the pages were touched. */
    private long touch(Stand now, long from) {
        synchronized (touching) {
            return touchNow(now, from);
        }
    }

    private long touchNow(Stand now, long from) {
        long to = Math.min(now.offset() + AHEAD_BYTES, now.end());
        long start = from / Pages.PAGE_BYTES_MAX * Pages.PAGE_BYTES_MAX;
        if (start >= to || now.file() <= left) {
            return to;
        }
        Path path = QueueFiles.file(folder, now.file());
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
                Arena arena = Arena.ofConfined()) {
            MemorySegment ahead = channel.map(FileChannel.MapMode.READ_WRITE, start, to - start, arena);
            for (long at = 0; at < ahead.byteSize() && !closed && now.file() > left; at += STEP_BYTES) {
                Pages.populate(ahead.asSlice(at, Math.min(STEP_BYTES, ahead.byteSize() - at)));
            }
        } catch (IOException e) {
            LOG.debug("log {}: {} was not prepared from {} to {}: {}", folder, path.getFileName(), from, to, e.toString());
        }
        return to;
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        close(opened);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void close(RandomAccessFile done) {
        try {
            if (done != null) {
                done.close();
            }
        } catch (IOException e) {
            LOG.warn("log {}: {}", folder, e.toString());
        }
    }
}
