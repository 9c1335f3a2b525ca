package org.posthouse.relay;

import java.util.concurrent.ConcurrentLinkedQueue;
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
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Control;
import org.posthouse.core.MailboxLoad;

/**
 * What it costs that a message comes to its mailbox from another thread. {@link #sameThread} is the exchange alone, as
 * mode multiplexed has it; in the group, one thread reads connections (here: hands over) and the mailbox's owner does the
 * exchange. The owner never sleeps, so that no wake-up is in it; on a machine of one processor the group says nothing.
 *
 * <p>The queue here is the plainest there is. A queue of the relay's own is compared by a second group beside it: the
 * same two methods over it.
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

    private static Object exchange(MailboxLoad mailbox) {
        return mailbox.receiveThenArrive(MailboxLoad.SOURCE, MailboxLoad.TAG);
    }

    @Benchmark
    public Object sameThread(Alone state) {
        return exchange(state.mailbox);
    }

    /** Its score is the time of a message: it cannot be quicker than the owner for long. */
    @Benchmark
    @Group("otherThread")
    @GroupThreads(1)
    public void handOver(Queued state, Control control) {
        while (state.pending.get() >= PIECES_MAX) {
            if (control.stopMeasurement) {
                return;
            }
            Thread.onSpinWait();
        }
        state.pending.incrementAndGet();
        state.queue.add(state.exchange);
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
