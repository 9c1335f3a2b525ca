package org.posthouse.relay.threads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One at a time, in order, nothing lost: whoever does the work. */
@Timeout(120)
final class StrandTest {
    private final Queue<Runnable> home = new ArrayDeque<>();
    private final List<String> did = new ArrayList<>();

    private Runnable piece(String name) {
        return () -> did.add(name);
    }

    private void runHome() {
        for (Runnable work = home.poll(); work != null; work = home.poll()) {
            work.run();
        }
    }

    @Test
    void submitterRunsTaskOfIdleStrandItself() {
        Strand strand = new Strand(StrandExecutor.open(home::add), piece("turn ends"));
        strand.submit(piece("a"));
        assertThat(did).containsExactly("a", "turn ends");
        assertThat(home).isEmpty();
    }

    @Test
    void workBroughtFromInsideWaitsForTheEndOfTheTurn() {
        Strand strand = new Strand(StrandExecutor.open(home::add), piece("turn ends"));
        strand.submit(() -> {
            assertThat(strand.isInside()).isTrue();
            strand.submit(piece("later"));
            assertThat(strand.tryEnter()).as("nobody goes inside twice").isFalse();
            did.add("first");
        });
        assertThat(did).containsExactly("first", "turn ends", "later", "turn ends");
        assertThat(strand.isInside()).isFalse();
    }

    @Test
    void aHomeThatAdmitsNobodyDoesAllItself() {
        Strand strand = new Strand(StrandExecutor.apart(home::add), () -> {});
        assertThat(strand.tryEnter()).isFalse();
        strand.submit(piece("a"));
        strand.submit(piece("b"));
        assertThat(did).isEmpty();
        assertThat(home).hasSize(1);
        runHome();
        assertThat(did).containsExactly("a", "b");
    }

    @Test
    void aVisitorLeavesTheRestToTheHome() {
        Strand strand = new Strand(StrandExecutor.open(home::add), () -> {});
        assertThat(strand.tryEnter()).isTrue();
        for (int i = 0; i < Strand.PIECES_MAX + 10; i++) {
            strand.submit(piece("" + i));
        }
        strand.leave();
        assertThat(did).hasSize(Strand.PIECES_MAX);
        assertThat(strand.tryEnter()).as("the home is on its way").isFalse();
        runHome();
        assertThat(did).hasSize(Strand.PIECES_MAX + 10);
        assertThat(strand.tryEnter()).isTrue();
    }

    /** What is done at the end of a turn is for many, as connections to flush are: if it fails, the strand goes on all the same. */
    @Test
    void anEndOfATurnThatFailsIsReportedAndKeepsNobodyWaiting() {
        List<String> reported = new ArrayList<>();
        Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> reported.add(failure.getMessage()));
        try {
            Strand strand = new Strand(StrandExecutor.open(home::add), () -> {
                throw new IllegalStateException("the end of a turn");
            });
            strand.submit(() -> strand.post(piece("b")));
            strand.submit(piece("c"));
            runHome();
            assertThat(did).containsExactly("b", "c");
            assertThat(reported).isNotEmpty().containsOnly("the end of a turn");
            assertThat(strand.isInside()).isFalse();
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(null);
        }
    }

    @Test
    void aPieceThatFailsIsReportedAndKeepsNobodyWaiting() {
        List<Throwable> reported = new ArrayList<>();
        Thread.currentThread().setUncaughtExceptionHandler((thread, fault) -> reported.add(fault));
        try {
            Strand strand = new Strand(StrandExecutor.apart(home::add), () -> {});
            strand.submit(() -> {
                throw new IllegalStateException("mine");
            });
            strand.submit(piece("behind it"));
            runHome();
            assertThat(reported).singleElement().asString().contains("mine");
            assertThat(did).containsExactly("behind it");
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(null);
        }
    }

    /** The report ends the process (MemoryUsedUpTest): what is half done has no effect. */
    @Test
    void anErrorOfTheJvmIsReportedBeforeAnythingElseIsDone() {
        Thread.currentThread().setUncaughtExceptionHandler((thread, fault) -> did.add(fault.getMessage()));
        try {
            Strand strand = new Strand(StrandExecutor.open(home::add), () -> did.add("the end of the turn"));
            assertThatThrownBy(() -> strand.submit(() -> {
                strand.post(piece("behind it"));
                throw new OutOfMemoryError("no memory");
            }))
                    .isInstanceOf(OutOfMemoryError.class);
            assertThat(did).startsWith("no memory");
        } finally {
            Thread.currentThread().setUncaughtExceptionHandler(null);
        }
    }

    /** Threads come and go, the home moves; every thread's pieces are done in its order, never two at once. */
    @Test
    void manyThreadsAndAHomeThatMoves() throws InterruptedException {
        int threads = 6;
        int pieces = 20_000;
        int[] next = new int[threads];
        int[] inside = new int[1];
        Queue<String> wrong = new ConcurrentLinkedQueue<>();
        try (ExecutorService one = Executors.newSingleThreadExecutor();
                ExecutorService two = Executors.newFixedThreadPool(2);
                ExecutorService callers = Executors.newFixedThreadPool(threads)) {
            Strand strand = new Strand(StrandExecutor.open(one), () -> {});
            CountDownLatch done = new CountDownLatch(threads * pieces);
            List<StrandExecutor> homes = List.of(StrandExecutor.open(one), StrandExecutor.open(two), StrandExecutor.apart(two), StrandExecutor.apart(one));
            for (int t = 0; t < threads; t++) {
                int thread = t;
                callers.execute(() -> {
                    for (int i = 0; i < pieces; i++) {
                        int number = i;
                        Runnable piece = () -> {
                            if (++inside[0] != 1 || next[thread]++ != number || !strand.isInside()) {
                                wrong.add("thread " + thread + " piece " + number);
                            }
                            inside[0]--;
                            done.countDown();
                        };
                        switch (ThreadLocalRandom.current().nextInt(4)) {
                            case 0 -> strand.post(piece);
                            case 1 -> {
                                if (strand.tryEnter()) {
                                    piece.run();
                                    strand.leave();
                                } else {
                                    strand.submit(piece);
                                }
                            }
                            default -> strand.submit(piece);
                        }
                        if (i % 1_000 == 0) {
                            strand.moveTo(homes.get(i / 1_000 % homes.size()));
                        }
                    }
                });
            }
            assertThat(done.await(50, TimeUnit.SECONDS)).as(done.getCount() + " pieces were lost").isTrue();
        }
        assertThat(wrong).isEmpty();
    }
}
