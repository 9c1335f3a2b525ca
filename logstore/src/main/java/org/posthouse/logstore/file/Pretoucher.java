package org.posthouse.logstore.file;

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
 * Touches the pages of the log file ahead of the writer, so that the kernel has allocated, cleared and mapped them
 * before they are written. Otherwise that is the most expensive part of a large record, and another core can do most of
 * it. It changes no byte. (Chronicle's own pretoucher is not in its open edition.)
 *
 * <p>Owned by the appender, which calls {@link #follow} after each append. A separate thread touches the pages and ends
 * with {@link #close}. Only the owner extends the file. Another thread cannot know how long Chronicle has made the file
 * meanwhile, and setting its length might truncate it.
 */
public final class Pretoucher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Pretoucher.class);

    /**
     * Distance ahead of the writer: 4 MiB, some milliseconds of the fastest writer. The thread continues when half of
     * it is used up.
     */
    public static final int AHEAD_BYTES = 4 << 20;

    /** Minimum file size for touching: 1 MiB, because most logs stay small. */
    static final int WORTH_BYTES = 1 << 20;

    /** Bytes per request to the kernel: 128 KiB. During a request no thread of this process can map or unmap memory. */
    private static final int STEP_BYTES = 128 << 10;

    /**
     * The position of the writer.
     *
     * @param file number of its file
     * @param offset in the file
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

    /** Number of the last file that must no longer be touched. Written by the owner, read by the thread. */
    private volatile int left = -1;

    /** Written by the owner, read by the thread. */
    private volatile boolean closed;

    /** Held while pages are touched. */
    private final Object touching = new Object();

    public Pretoucher(Path folder) {
        this.folder = folder;
        this.thread = new Thread(this::run, "posthouse-log-pretoucher");
        thread.setDaemon(true);
    }

    /**
     * Notes that the writer has reached {@code offset} of the file with this number. Costs one comparison, except every
     * 2 MiB.
     */
    public void follow(int number, long offset) {
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

    /** Skips the file with this number, which is not begun yet and whose pages are in memory. */
    public void leave(int number) {
        file = number;
        next = Long.MAX_VALUE;
        close(opened);
        opened = null;
    }

    /**
     * Releases the files up to this number, because the writer is in a later one. Their mappings are released and they
     * are no longer extended.
     */
    public void leaveUpTo(int number) {
        left = number;
        synchronized (touching) {
            // The thread has seen the new value and no longer touches the file.
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

    /** Stops touching this file. An append will report the disk's failure. */
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

    /** Returns the offset up to which pages were touched. */
    private long touch(Stand now, long from) {
        synchronized (touching) {
            return touchNow(now, from);
        }
    }

    private long touchNow(Stand now, long from) {
        long to = Math.min(now.offset() + AHEAD_BYTES, now.end());
        long start = from / PageAdvice.PAGE_BYTES_MAX * PageAdvice.PAGE_BYTES_MAX;
        if (start >= to || now.file() <= left) {
            return to;
        }
        Path path = QueueFiles.file(folder, now.file());
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
                Arena arena = Arena.ofConfined()) {
            MemorySegment ahead = channel.map(FileChannel.MapMode.READ_WRITE, start, to - start, arena);
            for (long at = 0; at < ahead.byteSize() && !closed && now.file() > left; at += STEP_BYTES) {
                PageAdvice.populate(ahead.asSlice(at, Math.min(STEP_BYTES, ahead.byteSize() - at)));
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
