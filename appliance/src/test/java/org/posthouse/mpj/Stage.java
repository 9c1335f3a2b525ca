package org.posthouse.mpj;

import java.lang.reflect.Constructor;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A machine with one processor whose every turn is decided by a seed: virtual threads that are scheduled by the thread that
 * makes it and calls {@link #run}, one at a time and in virtual time. So blocking code runs as it is, and a seed is one run, always the same.
 * A thread that waits for something of the stage parks; locks and conditions between its threads work as ever.
 */
public final class Stage {
    /** Ticks in a millisecond of the programs' clocks. */
    public static final int TICKS_PER_MS = 50;

    private static final int BLOCKED_S_MAX = 20;
    private static final int NS_PER_TICK = 1_000_000 / TICKS_PER_MS;

    private record Due(long at, long order, Runnable action) {}

    private final PriorityQueue<Due> due =
            new PriorityQueue<>(Comparator.comparingLong(Due::at).thenComparingLong(Due::order));
    private final Thread.Builder.OfVirtual threads = scheduledBy(this::ready);
    private final Map<Runnable, Thread> threadOf = new IdentityHashMap<>();
    /** Turns that threads have before them. */
    private final Set<Runnable> queued = Collections.newSetFromMap(new IdentityHashMap<>());

    private final BlockingQueue<Runnable> unblocked = new LinkedBlockingQueue<>();
    private final Random random;
    private final Thread runner = Thread.currentThread();
    private Thread starting;
    private long now;
    private long order;
    private RuntimeException failure;

    public Stage(Random random) {
        this.random = random;
    }

    /** The JDK has no other way to say who runs a virtual thread; the flag that it takes is one that the log store needs too. */
    private static Thread.Builder.OfVirtual scheduledBy(Executor scheduler) {
        try {
            Constructor<?> builder = Class.forName("java.lang.ThreadBuilders$VirtualThreadBuilder").getDeclaredConstructor(Executor.class);
            builder.setAccessible(true);
            return (Thread.Builder.OfVirtual) builder.newInstance(scheduler);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this JVM does not let a test schedule virtual threads", e);
        }
    }

    /** A thread may go on: when, is the seed's choice. Of one that waited for another machine's thread nobody sees that it did. */
    private void ready(Runnable turn) {
        if (Thread.currentThread().isVirtual() || Thread.currentThread() == runner) {
            threadOf.putIfAbsent(turn, starting);
            queued.add(turn);
            after(random.nextInt(3), () -> take(turn));
        } else {
            unblocked.add(turn);
        }
    }

    /**
     * One turn of a thread. If it comes to a monitor that a thread of the JVM's has (those that clean up behind buffers), it goes on in this
     * very turn: who tells then that it may is a thread of the JVM's too, at any time.
     */
    private void take(Runnable turn) {
        queued.remove(turn);
        turn.run();
        while (!queued.contains(turn) && wantsToGoOn(threadOf.get(turn))) {
            try {
                Runnable rest = unblocked.poll(BLOCKED_S_MAX, TimeUnit.SECONDS);
                if (rest == null) {
                    throw new IllegalStateException(threadOf.get(turn) + " waits for the monitor of a thread that waits");
                }
                rest.run();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Without a turn of the stage's: it waits for a monitor, or has it by now and is told so soon. */
    private static boolean wantsToGoOn(Thread thread) {
        Thread.State state = thread.getState();
        return state == Thread.State.BLOCKED || state == Thread.State.RUNNABLE;
    }

    /** Starts a thread. What it throws ends the run. */
    void start(Runnable body) {
        starting = threads.unstarted(() -> {
            try {
                body.run();
            } catch (RuntimeException | Error e) {
                fail(new IllegalStateException("a thread has ended: " + e, e));
            }
        });
        starting.start();
    }

    public Random random() {
        return random;
    }

    public long now() {
        return now;
    }

    public long nanoTime() {
        return now * NS_PER_TICK;
    }

    public void after(long ticks, Runnable action) {
        due.add(new Due(now + ticks, order++, action));
    }

    /** Blocks a thread of the stage so long. */
    void sleep(long ticks) {
        boolean[] over = new boolean[1];
        Thread sleeper = Thread.currentThread();
        after(ticks, () -> {
            over[0] = true;
            LockSupport.unpark(sleeper);
        });
        while (!over[0]) {
            LockSupport.park();
        }
    }

    /** The run has failed: it ends here. */
    public void fail(RuntimeException why) {
        failure = failure == null ? why : failure;
    }

    /** Runs until nothing is due any more. @throws RuntimeException what {@link #fail} was told */
    public void run(long ticksMax) {
        for (Due next = due.poll(); next != null && failure == null; next = due.poll()) {
            now = next.at();
            if (now > ticksMax) {
                fail(new IllegalStateException("still at it after " + ticksMax + " ticks"));
            }
            next.action().run();
        }
        Optional<Thread> hungry = threadOf.values().stream().filter(Stage::waitsForMemory).findFirst();
        if (hungry.isPresent()) {
            throw new IllegalStateException(
                    hungry.get() + " waits for direct memory, by the machine's clock: give this JVM more (-XX:MaxDirectMemorySize),"
                            + " or look for what keeps so much",
                    failure);
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** The JVM lets a thread that allocates sleep when there is no direct memory left, until something was collected. */
    private static boolean waitsForMemory(Thread thread) {
        return Stream.of(thread.getStackTrace()).anyMatch(frame -> frame.getClassName().equals("java.nio.Bits"));
    }

    /** Lets all threads come to their end, after something has made them want to: a thread that never does is never forgotten. */
    public void drain() {
        for (Due next = due.poll(); next != null; next = due.poll()) {
            next.action().run();
        }
    }
}
