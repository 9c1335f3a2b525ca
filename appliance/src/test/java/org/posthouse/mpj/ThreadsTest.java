package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.progress.FinalizedException;
import org.posthouse.mpj.progress.Settings;

/** Thread level MULTIPLE at the real endpoint: several threads of a rank block at once, all go on, and none spins. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class ThreadsTest {
    private static final int CONTEXT = 4;
    private static final Set<String> WAITS = Set.of("await", "probe");

    /** What who spins takes while others are blocked. */
    private static final long SPUN_NANOS = 1_000_000_000;

    private static Region region(byte[] array) {
        return new Region(Base.BYTE, Layout.ONE, array, 0);
    }

    private static void all(List<Callable<Void>> tasks) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
        try {
            for (Future<Void> each : threads.invokeAll(tasks)) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static long processorNanos(Thread thread) {
        return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.threadId());
    }

    private static boolean waitsIn(Endpoint end, Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(call -> call.getClassName().equals(end.getClass().getName()) && WAITS.contains(call.getMethodName()));
    }

    /** Takes so much of a processor's time: others that take it have as much meanwhile, however busy the machine is. */
    private static void spin(long nanos) {
        long end = processorNanos(Thread.currentThread()) + nanos;
        while (processorNanos(Thread.currentThread()) < end) {
            Thread.onSpinWait();
        }
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"1, 2, 2, 256k", "1, 3, 8, 0"})
    void norBetweenThreadsOfOneSite(int sites, int ranks, int threads, String eagerMax) throws Exception {
        nothingIsLostBetweenManyThreads(sites, ranks, threads, eagerMax);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 8})
    void blockedThreadsUseNoProcessorTimeAndAllWake(int count) throws Exception {
        Queue<Thread> blocked = new ConcurrentLinkedQueue<>();
        List<Long> taken = new ArrayList<>();
        try (RelayedWorld world = new RelayedWorld(1, 2)) {
            world.run(end -> {
                if (end.rank() == 0) {
                    await().until(() -> blocked.size() == count + 1 && blocked.stream().allMatch(thread -> waitsIn(end, thread)));
                    List<Long> before = blocked.stream().map(ThreadsTest::processorNanos).toList();
                    spin(SPUN_NANOS);
                    Iterator<Long> was = before.iterator();
                    blocked.forEach(thread -> taken.add(processorNanos(thread) - was.next()));
                    for (int tag = count; tag >= 0; tag--) {
                        end.await(end.send(CONTEXT, 1, tag, region(new byte[] {(byte) tag}).content(0, 1)));
                    }
                    return;
                }
                List<Callable<Void>> tasks = new ArrayList<>();
                for (int thread = 0; thread <= count; thread++) {
                    int tag = thread;
                    tasks.add(() -> {
                        blocked.add(Thread.currentThread());
                        return block(end, tag);
                    });
                }
                all(tasks);
            });
        }
        assertThat(taken).hasSize(count + 1).allSatisfy(nanos -> assertThat(nanos).isLessThan(SPUN_NANOS / 5));
    }

    /** Tag 0 is probed for, the others are received. */
    private static Void block(Endpoint end, int tag) {
        byte[] got = new byte[1];
        if (tag == 0) {
            assertThat(end.probe(CONTEXT, 0, 0).tag()).isZero();
        }
        end.await(end.receive(CONTEXT, 0, tag, region(got).sink(0, 1)));
        assertThat(got[0]).isEqualTo((byte) tag);
        return null;
    }

    @ParameterizedTest
    @CsvSource("2, 3, 4, 64k")
    void nothingIsLostBetweenManyThreads(int sites, int ranks, int threads, String eagerMax) throws Exception {
        Settings settings = new Settings(Settings.bytes(eagerMax));
        try (RelayedWorld world = new RelayedWorld(sites, ranks, settings)) {
            world.run(end -> {
                List<Callable<Void>> tasks = new ArrayList<>();
                for (int thread = 0; thread < threads; thread++) {
                    int tag = thread;
                    tasks.add(() -> exchangeWithAll(end, tag));
                }
                all(tasks);
            });
        }
    }

    /** Thread {@code tag} of every rank sends to and receives from the same thread of every rank, in many ways. */
    private static Void exchangeWithAll(Endpoint end, int tag) {
        Random own = new Random(end.rank() * 100L + tag);
        for (int round = 0; round < 20; round++) {
            List<Operation> sends = new ArrayList<>();
            for (int to = 0; to < end.size(); to++) {
                byte[] sent = letter(end.rank(), to, tag, round);
                SendMode mode = own.nextInt(3) == 0 ? SendMode.SYNCHRONOUS : SendMode.STANDARD;
                sends.add(end.send(CONTEXT, to, tag, region(sent).content(0, sent.length), mode));
            }
            for (int from = 0; from < end.size(); from++) {
                byte[] expected = letter(from, end.rank(), tag, round);
                byte[] got = new byte[expected.length];
                if (own.nextInt(4) == 0) {
                    assertThat(end.probe(CONTEXT, from, tag).bytes()).isEqualTo(expected.length);
                }
                finish(end, end.receive(CONTEXT, from, tag, region(got).sink(0, got.length)), own);
                assertThat(got).isEqualTo(expected);
            }
            while (!sends.isEmpty()) {
                sends.remove(end.awaitAny(sends.toArray(Operation[]::new)));
            }
        }
        return null;
    }

    private static byte[] letter(int from, int to, int tag, int round) {
        Random random = new Random(((from * 31L + to) * 31 + tag) * 1_000 + round);
        int[] bounds = {1, 200, 70_000, 400_000};
        byte[] bytes = new byte[random.nextInt(bounds[random.nextInt(8) == 0 ? random.nextInt(4) : random.nextInt(2)])];
        random.nextBytes(bytes);
        return bytes;
    }

    private static void finish(Endpoint end, Operation receive, Random random) {
        if (random.nextBoolean()) {
            end.await(receive);
        }
        while (!end.test(receive)) {
            Thread.onSpinWait();
        }
        assertThat(receive.failure()).isNull();
    }

    /** An errand is a thread's work, and its end is no frame: whoever waits for it or a message gets what comes first. */
    @Test
    void waitingForAnErrandOrAMessageEndsWithTheFirst() throws Exception {
        try (RelayedWorld world = new RelayedWorld(1, 2)) {
            world.run(end -> {
                if (end.rank() == 1) {
                    block(end, 1);
                    return;
                }
                Operation errand = end.begin();
                Operation fromSelf = end.receive(CONTEXT, 0, 7, region(new byte[1]).sink(0, 1));
                Operation never = end.receive(CONTEXT, 1, 8, region(new byte[1]).sink(0, 1));
                end.send(CONTEXT, 0, 7, region(new byte[1]).content(0, 1));
                assertThat(end.awaitAny(new Operation[] {errand, fromSelf, never})).isEqualTo(1);
                Thread waiter = Thread.currentThread();
                Thread work = new Thread(() -> {
                    while (isRunning(waiter)) {
                        Thread.onSpinWait();
                    }
                    end.end(errand);
                });
                work.start();
                assertThat(end.awaitAny(new Operation[] {never, null, errand})).isEqualTo(2);
                work.join();
                end.await(errand);
                assertThat(end.cancel(never)).isTrue();
                end.send(CONTEXT, 1, 1, region(new byte[] {1}).content(0, 1));
            });
        }
    }

    /** Whether the thread is not yet blocked in a read. */
    private static boolean isRunning(Thread thread) {
        return Arrays.stream(thread.getStackTrace()).noneMatch(frame -> frame.getMethodName().equals("select"));
    }

    /** A rank that calls Finalize while one of its threads is blocked ends that thread's call, not the process. */
    @Test
    void finalizeEndsBlockedCallsWithFinalizedException() throws Exception {
        AtomicBoolean ended = new AtomicBoolean();
        try (RelayedWorld world = new RelayedWorld(1, 1)) {
            world.run(end -> {
                Operation never = end.receive(CONTEXT, 0, 1, region(new byte[0]).sink(0, 0));
                Thread blocked = new Thread(() -> {
                    try {
                        end.await(never);
                    } catch (FinalizedException e) {
                        ended.set(true);
                    }
                });
                blocked.start();
                while (blocked.getState() != Thread.State.RUNNABLE && blocked.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait();
                }
                end.close();
                blocked.join();
                assertThatExceptionOfType(FinalizedException.class).isThrownBy(() -> end.test(never));
                assertThatExceptionOfType(FinalizedException.class).isThrownBy(() -> end.tryProbe(CONTEXT, 0, 1));
                assertThatExceptionOfType(FinalizedException.class).isThrownBy(end::close);
            });
        } catch (AssertionError closedTwice) {
            // The world closes every endpoint; this rank has closed its own.
            assertThat(closedTwice).hasCauseInstanceOf(FinalizedException.class);
        }
        assertThat(ended).isTrue();
    }
}
