package org.posthouse.launch.output;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.posthouse.causes.Causes;

/**
 * Writes what a job's ranks print to one stream of this process, on a thread of its own. Each rank's stream has a
 * {@link Lane} to it, which holds a bounded number of bytes. A slow reader therefore slows the ranks down, as with any
 * pipe, and loses nothing. {@link LineMerge} decides what is written next. Any thread may call it.
 *
 * <p>The stream may take nothing, because its reader has gone or its disk is full. A write is then tried again a second
 * later, since an attempt costs as much as twenty lines. Output that comes meanwhile is not shown. A line may have been
 * cut by then, so the next output begins a new line.
 */
final class OutputScreen {
    static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

    /** Longest time that a line without an end keeps others waiting while nothing is written. */
    static final long OPEN_LINE_NS = TimeUnit.SECONDS.toNanos(5);

    /** The same if it stands at a carriage return. */
    static final long RETURN_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /**
     * Most waiting bytes of one stream of one rank. With 4,096 ranks these are 128 MiB, if all print more than is read.
     */
    static final int LANE_BYTES_MAX = 16 * 1024;

    /** The same where lines are to be whole. */
    private static final int WHOLE_LINE_BYTES_MAX = 1024 * 1024;

    /** Leads to the screen from one stream of one rank, over all its processes. */
    final class Lane {
        private final LineMerge.Source source;
        private boolean draining;

        /** Null if nothing is copied. Set before anything is shown. */
        private OutputCopies.Copy copy;

        /** Null if no console is to see what is printed. Set before anything is shown. */
        private StreamTail tail;

        private Lane(LineMerge.Source source) {
            this.source = source;
        }

        /** Copies from now on what is shown. */
        void copyTo(OutputCopies.Copy to) {
            copy = to;
        }

        /** Keeps the newest of what is shown for the relays' consoles. */
        void tailTo(StreamTail to) {
            tail = to;
        }

        /** Waits until there is room. */
        void show(byte[] bytes, int first, int count) {
            if (tail != null) {
                tail.add(bytes, first, count);
            }
            if (copy != null) {
                copy.write(bytes, first, count);
            }
            lock.lock();
            try {
                while (source.waiting() >= bytesMax && !draining && !gone) {
                    room.awaitUninterruptibly();
                }
                put(source, bytes, first, count);
            } finally {
                lock.unlock();
            }
        }

        /** The same of what a tape gives. */
        void show(OutputJournal.Shown shown) {
            if (shown.beginsLine()) {
                endOpenLine();
            }
            show(shown.bytes(), 0, shown.bytes().length);
        }

        private void endOpenLine() {
            if (tail != null) {
                tail.endLine();
            }
            if (copy != null) {
                copy.endLine();
            }
            lock.lock();
            try {
                if (!source.isAtLineStart()) {
                    put(source, new byte[] {'\n'}, 0, 1);
                }
            } finally {
                lock.unlock();
            }
        }

        /** Whether a process has ended, so that no more comes of it than its pipe has: it is taken at once. */
        void drain(boolean isEnding) {
            lock.lock();
            try {
                draining = isEnding;
                room.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** No process follows. */
        void end() {
            if (tail != null) {
                tail.endLine();
            }
            if (copy != null) {
                copy.close();
            }
            lock.lock();
            try {
                source.end();
                begin();
            } finally {
                lock.unlock();
            }
        }
    }

    private final OutputStream to;
    private final boolean tagged;
    private final int bytesMax;
    private final LongSupplier nanoTime;
    private final Consumer<String> complaint;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition come = lock.newCondition();
    private final Condition room = lock.newCondition();

    // Guarded by the lock.
    private final LineMerge merge;
    private Thread writer;
    private boolean closed;
    private boolean hurried;
    private long written;
    private boolean busy;
    /** No thread writes any more. */
    private boolean gone;

    // Confined to the writer.
    private boolean complained;
    private boolean paused;
    private long failedNs;

    /**
     * @param tagged whether lines have tags
     * @param wholeLines whether each write is to be a line; one of more than a MiB is in several all the same
     * @param complaint receives, once, the reason why the stream took nothing
     */
    OutputScreen(OutputStream to, boolean tagged, boolean wholeLines, LongSupplier nanoTime, Consumer<String> complaint) {
        this.to = to;
        this.tagged = tagged;
        this.bytesMax = wholeLines ? WHOLE_LINE_BYTES_MAX : LANE_BYTES_MAX;
        this.merge = new LineMerge(tagged, wholeLines, bytesMax);
        this.nanoTime = nanoTime;
        this.complaint = complaint;
    }

    Lane lane(String tag) {
        lock.lock();
        try {
            return new Lane(merge.source(tag));
        } finally {
            lock.unlock();
        }
    }

    /** Shows a line of the launcher's own. Does not wait. */
    void tell(String line) {
        byte[] bytes = (line + "\n").getBytes(StandardCharsets.UTF_8);
        lock.lock();
        try {
            put(merge.launcher(), bytes, 0, bytes.length);
        } finally {
            lock.unlock();
        }
    }

    private void put(LineMerge.Source source, byte[] bytes, int first, int count) {
        if (!gone) {
            source.put(bytes, first, count);
            begin();
        }
    }

    private void begin() {
        if (writer == null) {
            writer = Thread.ofPlatform().daemon().name("posthouse-screen").start(this::run);
        }
        come.signal();
    }

    private void run() {
        lock.lock();
        try {
            long heldNs = 0;
            while (!closed || !merge.isEmpty()) {
                byte[] bytes = merge.next();
                if (bytes != null) {
                    heldNs = 0;
                    write(bytes);
                } else if (!merge.isHeldUp()) {
                    come.awaitUninterruptibly();
                } else if (heldNs < (merge.isAtReturn() ? RETURN_NS : OPEN_LINE_NS)) {
                    heldNs += awaitHeldUp(heldNs);
                } else {
                    heldNs = 0;
                    write(merge.interrupt());
                }
            }
        } finally {
            gone = true;
            room.signalAll();
            lock.unlock();
        }
    }

    private long awaitHeldUp(long heldNs) {
        long beginNs = nanoTime.getAsLong();
        try {
            come.awaitNanos((merge.isAtReturn() ? RETURN_NS : OPEN_LINE_NS) - heldNs);
        } catch (InterruptedException e) {
            throw new IllegalStateException("nobody interrupts the writer of a screen", e);
        }
        return nanoTime.getAsLong() - beginNs;
    }

    /** Without the lock. */
    private void write(byte[] bytes) {
        busy = true;
        room.signalAll();
        lock.unlock();
        try {
            tryWrite(bytes);
        } finally {
            lock.lock();
            busy = false;
            written += bytes.length;
            room.signalAll();
        }
    }

    private void tryWrite(byte[] bytes) {
        if (bytes.length == 0 || paused && nanoTime.getAsLong() - failedNs < PAUSE_NS) {
            return;
        }
        try {
            byte[] all = paused && tagged ? onItsOwn(bytes) : bytes;
            to.write(all, 0, all.length);
            to.flush();
            paused = false;
        } catch (IOException e) {
            paused = true;
            failedNs = nanoTime.getAsLong();
            if (!complained) {
                complained = true;
                complaint.accept(Causes.text(e));
            }
        }
    }

    private static byte[] onItsOwn(byte[] line) {
        return ByteBuffer.allocate(1 + line.length).put((byte) '\n').put(line).array();
    }

    /** From here on {@link #close} waits no longer than for a reader that takes something. */
    void hurry() {
        lock.lock();
        try {
            hurried = true;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Bytes written so far, or dropped as the stream took none. */
    long written() {
        lock.lock();
        try {
            return written;
        } finally {
            lock.unlock();
        }
    }

    /** Returns when all that there is to be shown so far was. */
    void awaitWritten() {
        lock.lock();
        try {
            while (writer != null && !gone && (busy || merge.hasNext())) {
                room.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns when all has been written, however slow the reader is; if it is in a hurry, when the reader has taken nothing for so long, too.
     *
     * @return the number of bytes that were not written
     */
    long close(long stallMs) throws InterruptedException {
        lock.lock();
        try {
            closed = true;
            come.signal();
            boolean stalls = false;
            while (writer != null && !gone && !stalls) {
                if (hurried) {
                    stalls = !hasNews(stallMs);
                } else {
                    room.await();
                }
            }
            return merge.waiting();
        } finally {
            lock.unlock();
        }
    }

    private boolean hasNews(long stallMs) throws InterruptedException {
        long before = written;
        long leftNs = TimeUnit.MILLISECONDS.toNanos(stallMs);
        while (leftNs > 0 && written == before && !gone) {
            leftNs = room.awaitNanos(leftNs);
        }
        return written != before || gone;
    }
}
