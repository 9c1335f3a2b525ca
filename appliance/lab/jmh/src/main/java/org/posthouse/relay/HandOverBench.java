package org.posthouse.relay;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.GroupThreads;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Control;
import org.posthouse.core.MailboxLoad;
import org.posthouse.relay.threads.Strand;
import org.posthouse.relay.threads.StrandExecutor;

/**
 * What it costs that a message comes to its mailbox from another thread. {@link #sameThread} is the exchange alone;
 * {@link #idleStrand} goes through a {@link Strand} that nobody else wants, as most messages do in every mode. In the
 * groups other threads come in between: {@code otherThread} has the plainest queue there is and an owner that never
 * sleeps, so that no wake-up is in it; {@code busyStrand} has two threads that both want the strand, and whoever is inside
 * works for the other. On a machine of one processor the groups say nothing.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class HandOverBench {
    /** Pieces of work under way at most: what a window of credit allows. */
    private static final int PIECES_MAX = 1_024;

    /** The mailbox alone. */
    @State(Scope.Thread)
    public static class Alone {
        private final MailboxLoad mailbox = new MailboxLoad();
    }

    /** A mailbox behind a queue of many producers and one consumer. */
    @State(Scope.Group)
    public static class Queued {
        private final MailboxLoad mailbox = new MailboxLoad();
        private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
        private final AtomicInteger pending = new AtomicInteger();
        private final Runnable exchange = () -> exchange(mailbox);
    }

    /** A mailbox behind a strand of one thread's own. */
    @State(Scope.Thread)
    public static class Idle {
        private final MailboxLoad mailbox = new MailboxLoad();
        private final Strand strand = new Strand(StrandExecutor.open(Runnable::run), () -> {});
        private final Runnable exchange = () -> exchange(mailbox);
    }

    /** A mailbox behind a strand that several threads come to; what they leave is done by a thread of its own. */
    @State(Scope.Group)
    public static class Busy {
        private final MailboxLoad mailbox = new MailboxLoad();
        private final AtomicInteger pending = new AtomicInteger();
        private final ExecutorService home = Executors.newSingleThreadExecutor();
        private final Strand strand = new Strand(StrandExecutor.open(home), () -> {});
        private final Runnable exchange = () -> {
            exchange(mailbox);
            pending.decrementAndGet();
        };

        @TearDown
        public void close() {
            home.shutdown();
        }
    }

    private static Object exchange(MailboxLoad mailbox) {
        return mailbox.receiveThenArrive(MailboxLoad.SOURCE, MailboxLoad.TAG);
    }

    @Benchmark
    public Object sameThread(Alone state) {
        return exchange(state.mailbox);
    }

    @Benchmark
    public void idleStrand(Idle state) {
        state.strand.submit(state.exchange);
    }

    /** Its score is the time of a message of one of the two threads. */
    @Benchmark
    @Group("busyStrand")
    @GroupThreads(2)
    public void submit(Busy state, Control control) {
        if (awaitRoom(state.pending, control)) {
            state.pending.incrementAndGet();
            state.strand.submit(state.exchange);
        }
    }

    /** Its score is the time of a message: it cannot be quicker than the owner for long. */
    @Benchmark
    @Group("otherThread")
    @GroupThreads(1)
    public void handOver(Queued state, Control control) {
        if (awaitRoom(state.pending, control)) {
            state.pending.incrementAndGet();
            state.queue.add(state.exchange);
        }
    }

    /** Waits while too much is under way; false if the measurement ends meanwhile. */
    private static boolean awaitRoom(AtomicInteger pending, Control control) {
        while (pending.get() >= PIECES_MAX) {
            if (control.stopMeasurement) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    /** Its score is the time of a look into the queue, found empty or not. */
    @Benchmark
    @Group("otherThread")
    @GroupThreads(1)
    public void own(Queued state) {
        Runnable work = state.queue.poll();
        if (work == null) {
            Thread.onSpinWait();
        } else {
            work.run();
            state.pending.decrementAndGet();
        }
    }
}
