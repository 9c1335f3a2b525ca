package org.posthouse.wan;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/**
 * The clock and the sockets of emulated networks: one thread that sleeps until a socket has something, or until something is
 * due. Times are kept to the nanosecond, so that bandwidth is exact though the thread wakes late, as long as the kernel holds what a connection that fills
 * its link has to send meanwhile. A byte comes late by what a sleep is late, some 0.1 ms on a machine with a free processor; and never early, but of such a
 * connection by no more than the thread was late.
 */
public final class WanEmulator implements Closeable {
    /** A selector sleeps whole milliseconds; below, the thread naps this long at most before it looks at sockets again. */
    private static final long NAP_NANOS_MAX = 50_000;

    private static final int POOLED_MAX = 256;

    private final Selector selector;
    private final Thread thread;
    private final RandomGenerator random;
    private final ConcurrentLinkedQueue<Runnable> orders = new ConcurrentLinkedQueue<>();
    private final PriorityQueue<Due> due = new PriorityQueue<>();
    private final List<WanWay> ways = new ArrayList<>();
    private final ArrayDeque<ByteBuffer> pool = new ArrayDeque<>();
    private long dueCount;

    /** Written by whoever closes it, read by the thread. */
    private volatile boolean closed;

    /** What stopped it, if it was a fault. Written by the thread, read by whoever closes it. */
    private volatile Throwable failure;

    /** What a ready key's attachment does. */
    interface Ready {
        void onReady(SelectionKey key) throws IOException;
    }

    private record Due(long nanos, long number, Runnable task) implements Comparable<Due> {
        @Override
        public int compareTo(Due other) {
            int byTime = Long.compare(nanos - other.nanos, 0);
            return byTime != 0 ? byTime : Long.compare(number, other.number);
        }
    }

    private WanEmulator(RandomGenerator random) throws IOException {
        this.random = random;
        this.selector = Selector.open();
        this.thread = Thread.ofPlatform().daemon().name("posthouse-wan").unstarted(this::run);
    }

    /** @param random draws the jitter */
    public static WanEmulator start(RandomGenerator random) throws IOException {
        WanEmulator emulator = new WanEmulator(random);
        emulator.thread.start();
        return emulator;
    }

    /** A way between two sites: {@code there} shapes what goes from those who dial, {@code back} what they hear. */
    public WanWay way(WanShape there, WanShape back) {
        return call(() -> {
            WanWay way = new WanWay(this, there, back);
            ways.add(way);
            return way;
        });
    }

    /** The same in both directions. */
    public WanWay way(WanShape shape) {
        return way(shape, shape);
    }

    /** The processor time that the emulator has used so far, for those who look whether it spins. */
    public long threadId() {
        return thread.threadId();
    }

    /** Ends all connections and the thread. @throws IllegalStateException if the thread ended before, for a fault */
    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            selector.wakeup();
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        if (failure != null) {
            throw new IllegalStateException("the emulator has failed", failure);
        }
    }

    // ---- what the thread's own objects call, in the thread

    /** Does {@code task} at that {@link System#nanoTime}, or as soon as possible after it. */
    void at(long nanos, Runnable task) {
        assert Thread.currentThread() == thread;
        due.add(new Due(nanos, dueCount++, task));
    }

    long jitterNanos(WanShape shape) {
        assert Thread.currentThread() == thread;
        return shape.jitterNanos() == 0 ? 0 : random.nextLong(shape.jitterNanos() + 1);
    }

    SelectionKey register(SelectableChannel channel, int operations, Ready ready) throws IOException {
        assert Thread.currentThread() == thread;
        channel.configureBlocking(false);
        return channel.register(selector, operations, ready);
    }

    /** A closed channel's socket lives on until its key is gone, which a look of the selector does. */
    void letGoOfClosed() {
        assert Thread.currentThread() == thread;
        try {
            selector.selectNow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ByteBuffer borrow(int bytes) {
        assert Thread.currentThread() == thread;
        ByteBuffer pooled = pool.poll();
        return pooled != null && pooled.capacity() >= bytes ? pooled.clear().limit(bytes) : ByteBuffer.allocateDirect(bytes);
    }

    void giveBack(ByteBuffer piece) {
        assert Thread.currentThread() == thread;
        if (pool.size() < POOLED_MAX) {
            pool.push(piece);
        }
    }

    // ---- what others call

    /** Runs {@code order} in the thread and returns what it returns. */
    <T> T call(Callable<T> order) {
        CompletableFuture<T> done = new CompletableFuture<>();
        orders.add(() -> {
            try {
                done.complete(order.call());
            } catch (Exception e) {
                done.completeExceptionally(e);
            }
        });
        selector.wakeup();
        try {
            return done.orTimeout(10, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof IOException cause ? new UncheckedIOException(cause) : e;
        }
    }

    // ---- the thread

    private void run() {
        try {
            while (!closed) {
                for (Runnable order = orders.poll(); order != null; order = orders.poll()) {
                    order.run();
                }
                doWhatIsDue();
                await();
                handleReady();
            }
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
        } finally {
            ways.forEach(WanWay::end);
            try {
                selector.close();
            } catch (IOException e) {
                failure = failure == null ? e : failure;
            }
        }
    }

    private void doWhatIsDue() {
        while (!due.isEmpty() && due.peek().nanos - System.nanoTime() <= 0) {
            due.poll().task.run();
        }
    }

    private void await() throws IOException {
        if (due.isEmpty()) {
            selector.select();
            return;
        }
        long left = due.peek().nanos - System.nanoTime();
        long leftMs = TimeUnit.NANOSECONDS.toMillis(left);
        if (leftMs > 0) {
            selector.select(leftMs);
        } else if (selector.selectNow() == 0 && left > 0) {
            LockSupport.parkNanos(Math.min(left, NAP_NANOS_MAX));
        }
    }

    private void handleReady() throws IOException {
        for (SelectionKey key : selector.selectedKeys()) {
            if (key.isValid()) {
                ((Ready) key.attachment()).onReady(key);
            }
        }
        selector.selectedKeys().clear();
    }
}
