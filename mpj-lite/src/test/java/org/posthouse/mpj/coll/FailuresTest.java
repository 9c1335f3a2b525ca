package org.posthouse.mpj.coll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.LocalWorld;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Folds;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.data.Unit;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;

/**
 * A receive that fails inside a collective: nobody waits for ever, nobody gets wrong data unknowingly, nothing of it is
 * under way afterwards, and the next collective works.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FailuresTest {
    private static final int RANKS = 8;
    private static final int BROKEN = 4;

    private static Region ints(int[] values) {
        return new Region(Base.INT, Layout.ONE, values, 0);
    }

    private interface Call {
        void run(Peers peers, int rank) throws Exception;
    }

    /** Runs a call at every rank, then a barrier and a reduction that must work; returns what each rank's call threw. */
    private static AtomicReferenceArray<ReceiveException> failures(String forced, long eagerBytesMax, Call call) {
        return failures(forced, eagerBytesMax, UnaryOperator.identity(), call);
    }

    private static AtomicReferenceArray<ReceiveException> failures(
            String forced, long eagerBytesMax, UnaryOperator<Endpoint> through, Call call) {
        return failures(new LocalWorld(RANKS).eagerBytesMax(eagerBytesMax), forced, through, call);
    }

    private static AtomicReferenceArray<ReceiveException> failures(
            LocalWorld world, String forced, UnaryOperator<Endpoint> through, Call call) {
        AtomicReferenceArray<ReceiveException> failures = new AtomicReferenceArray<>(RANKS);
        world.run(endpoint -> {
            int[] ranks = {0, 1, 2, 3, 4, 5, 6, 7};
            Peers peers = new Peers(through.apply(endpoint), Algorithms.parse(forced), 1, endpoint.rank(), ranks);
            try {
                call.run(peers, endpoint.rank());
            } catch (ReceiveException e) {
                failures.set(endpoint.rank(), e);
            }
            Barrier.run(peers);
            int[] numbers = new int[RANKS];
            Allgather.run(peers, ints(new int[] {endpoint.rank()}), 1, ints(numbers), Blocks.even(1));
            assertThat(numbers).containsExactly(ranks);
        });
        return failures;
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1 << 20})
    void ranksBehindATruncatedBcastGetAnErrorToo(long eagerBytesMax) {
        AtomicReferenceArray<ReceiveException> failures = failures("bcast=binomial", eagerBytesMax, (peers, rank) -> {
            int[] values = new int[100];
            Arrays.fill(values, rank == 0 ? 5 : -1);
            Broadcast.run(peers, ints(values), rank == BROKEN ? 90 : 100, 0);
            assertThat(values).containsOnly(5);
        });
        assertThat(failures.get(BROKEN).kind()).isEqualTo(ReceiveException.Kind.TRUNCATE);
        // In the binomial tree of 8 ranks 5, 6 and 7 are behind 4.
        for (int rank = 0; rank < RANKS; rank++) {
            if (rank > BROKEN) {
                assertThat(failures.get(rank)).hasMessageContaining("SPOILED");
            } else if (rank < BROKEN) {
                assertThat(failures.get(rank)).isNull();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1 << 20})
    void leavesNothingUnderWayThatWritesLater(long eagerBytesMax) {
        AtomicReferenceArray<ReceiveException> failures = failures("", eagerBytesMax, (peers, rank) -> {
            int each = 2000;
            int[] values = new int[RANKS * each];
            Arrays.fill(values, rank);
            int[] room = new int[RANKS * each];
            int[] counts = new int[RANKS];
            int[] at = new int[RANKS];
            Arrays.fill(counts, each);
            Arrays.setAll(at, from -> from * each);
            // The very first step's block is too small.
            counts[(rank + RANKS - 1) % RANKS] = rank == BROKEN ? 1 : each;
            try {
                Alltoall.run(peers, ints(values), evenly(each), ints(room), Blocks.at(counts, at));
            } finally {
                for (int from = 0; from < RANKS; from++) {
                    if (rank != BROKEN || from != BROKEN - 1) {
                        int begin = from * each;
                        // What the broken rank sent before its failure came, and what it did not.
                        int expected = from == BROKEN && rank != BROKEN ? room[begin] : from;
                        assertThat(expected).isIn(from, 0);
                        assertThat(Arrays.copyOfRange(room, begin, begin + each))
                                .as("block of %d at %d", from, rank)
                                .containsOnly(expected);
                    }
                }
            }
        });
        assertThat(failures.get(BROKEN).kind()).isEqualTo(ReceiveException.Kind.TRUNCATE);
    }

    private static Blocks evenly(int each) {
        int[] counts = new int[RANKS];
        Arrays.fill(counts, each);
        return Blocks.adjacent(counts, RANKS);
    }

    /** Cannot be read back by the thread of one rank. */
    private static final class Shy implements Serializable {
        private static final long serialVersionUID = 1L;

        private void readObject(ObjectInputStream in) throws IOException {
            if (Thread.currentThread().getName().equals("rank-" + BROKEN)) {
                throw new IOException("not here");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1 << 20})
    void passesObjectsOnThatItCannotReadItself(long eagerBytesMax) {
        AtomicReferenceArray<ReceiveException> failures = failures("bcast=binomial", eagerBytesMax, (peers, rank) -> {
            Object[] objects = {rank == 0 ? new Shy() : null};
            Broadcast.run(peers, new Region(Base.OBJECT, Layout.ONE, objects, 0), 1, 0);
            assertThat(objects[0]).isInstanceOf(Shy.class);
        });
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(failures.get(rank) != null).isEqualTo(rank == BROKEN);
        }
        assertThat(failures.get(BROKEN).kind()).isEqualTo(ReceiveException.Kind.OBJECT);
    }

    /** As {@link Shy}, but it asserts. */
    private static final class Strict implements Serializable {
        private static final long serialVersionUID = 1L;

        private void readObject(ObjectInputStream in) {
            if (Thread.currentThread().getName().equals("rank-" + BROKEN)) {
                throw new AssertionError("not here");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1 << 20})
    void anErrorOfTheProgramsWhileObjectsAreReadIsAFailureToo(long eagerBytesMax) {
        AtomicReferenceArray<ReceiveException> failures = failures("allgather=ring", eagerBytesMax, (peers, rank) -> {
            Object[] own = {rank == 0 ? new Strict() : "" + rank};
            Object[] all = new Object[RANKS];
            Allgather.run(
                    peers, new Region(Base.OBJECT, Layout.ONE, own, 0), 1, new Region(Base.OBJECT, Layout.ONE, all, 0), Blocks.even(1));
        });
        assertThat(failures.get(BROKEN).kind()).isEqualTo(ReceiveException.Kind.OBJECT);
        assertThat(failures.get(BROKEN)).hasMessageContaining("java.lang.AssertionError: not here");
    }

    /** As the endpoint of a rank that was told, when it waited for its first message, that there will be none. */
    private static Endpoint givingUpOne(Endpoint endpoint) {
        AtomicReference<Operation> givenUp = new AtomicReference<>();
        return (Endpoint) Proxy.newProxyInstance(
                Endpoint.class.getClassLoader(), new Class<?>[] {Endpoint.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("receive") && givenUp.compareAndSet(null, new GivenUp())) {
                        return givenUp.get();
                    }
                    boolean isOver = method.getName().equals("await") && arguments[0] == givenUp.get();
                    return isOver ? null : method.invoke(endpoint, arguments);
                });
    }

    private static final class GivenUp extends Operation {
        GivenUp() {
            complete(null, new ReceiveException(ReceiveException.Kind.MISMATCH, "rank 0 is somewhere else"));
        }
    }

    /** Joins texts, and takes no nulls. */
    private static final Reduction TEXTS = new Reduction() {
        @Override
        public boolean commutes() {
            return false;
        }

        @Override
        public void combine(Region in, int inAt, Region inOut, int inOutAt, int count) {
            String[] left = (String[]) in.array();
            String[] right = (String[]) inOut.array();
            for (int i = 0; i < count; i++) {
                right[inOut.index(inOutAt + i)] = left[in.index(inAt + i)].concat(right[inOut.index(inOutAt + i)]);
            }
        }
    };

    @ParameterizedTest
    @ValueSource(strings = {"bcast=binomial", "reduce=binomial", "reduce=flat", "scan=doubling", "allreduce=reduce-bcast"})
    void abandonedReceiveIsTheReportedFailure(String forced) {
        int broken = forced.equals("reduce=flat") ? 0 : BROKEN;
        UnaryOperator<Endpoint> through = endpoint -> endpoint.rank() == broken ? givingUpOne(endpoint) : endpoint;
        AtomicReferenceArray<ReceiveException> failures = failures(forced, 1 << 20, through, (peers, rank) -> {
            String[] texts = {"" + rank};
            Region region = new Region(Base.OBJECT, Layout.ONE, texts, 0);
            switch (forced.substring(0, forced.indexOf('='))) {
                case "bcast" -> Broadcast.run(peers, region, 1, 0);
                case "reduce" -> Reduce.run(peers, region, region, 1, TEXTS, 0);
                case "scan" -> Scan.run(peers, region, region, 1, TEXTS);
                default -> Allreduce.run(peers, region, region, 1, TEXTS);
            }
        });
        assertThat(failures.get(broken).kind()).isEqualTo(ReceiveException.Kind.MISMATCH);
    }

    private static final Reduction SUM = new Reduction() {
        @Override
        public boolean commutes() {
            return true;
        }

        @Override
        public void combine(Region in, int inAt, Region inOut, int inOutAt, int count) {
            in.fold(inAt, Folds.SUM, Unit.ONE, inOut, inOutAt, count);
        }
    };

    /** Its datatype has gaps such that no array holds a copy. */
    @ParameterizedTest
    @ValueSource(strings = {
        "reduce=flat", "reduce=binomial", "reduce=chain", "scan=doubling", "scan=chain", "exscan=chain", "allreduce=doubling", "allreduce=halving",
        "allreduce=reduce-bcast,reduce=binomial"
    })
    void aRankWithNoMemoryForScratchGoesToTheEnd(String forced) {
        int extent = (Integer.MAX_VALUE - 1) / (RANKS - 1);
        AtomicReferenceArray<ReceiveException> failures = failures(forced.replace("exscan", "scan"), 1 << 20, (peers, rank) -> {
            Region receive = ints(new int[RANKS]);
            Region send = rank == BROKEN ? new Region(Base.INT, Layout.ONE.resized(0, extent), new int[1], 0) : receive;
            Peers.Step call = () -> {
                switch (forced.substring(0, forced.indexOf('='))) {
                    case "reduce" -> Reduce.run(peers, send, receive, RANKS, SUM, BROKEN);
                    case "scan" -> Scan.run(peers, send, receive, RANKS, SUM);
                    case "exscan" -> Scan.runExclusive(peers, send, receive, RANKS, SUM);
                    default -> Allreduce.run(peers, send, receive, RANKS, SUM);
                }
            };
            if (rank == BROKEN) {
                assertThatThrownBy(call::run).isInstanceOf(ProgramException.class).hasRootCauseInstanceOf(OutOfMemoryError.class);
            } else {
                call.run();
            }
        });
        if (!forced.startsWith("reduce")) {
            assertThat(failures.get(BROKEN + 1)).hasMessageContaining("SPOILED");
        }
    }

    /** Blocks of which no array holds as many as a rank passes on, or of which it has to copy one that no array holds. */
    @ParameterizedTest
    @ValueSource(strings = {"allgather=gather-bcast", "allgather=bruck", "alltoall=rotation", "alltoall=bruck"})
    void rankWithoutMemoryForForwardedBlocksCompletesTheCollective(String forced) {
        assertCompleted(forced);
    }

    @Tag("long")
    @Test
    void soDoesOneWithoutMemoryForTheBlocksOfAnotherSite() {
        assertCompleted("alltoall=sites");
    }

    private static void assertCompleted(String forced) {
        int most = Integer.MAX_VALUE / RANKS;
        assumeThat(Runtime.getRuntime().maxMemory()).isLessThan((RANKS - 1L) * most * Long.BYTES);
        // The first room that it wants, all blocks for the other site, is more than there is.
        LocalWorld world = new LocalWorld(RANKS).sites(IntStream.range(0, RANKS).map(rank -> rank == BROKEN ? 1 : 0).toArray());
        AtomicReferenceArray<ReceiveException> failures = failures(world, forced, UnaryOperator.identity(), (peers, rank) -> {
            Region receive = ints(new int[RANKS]);
            Region send = ints(new int[RANKS]);
            Peers.Step call = () -> {
                switch (forced) {
                    case "allgather=gather-bcast" -> Allgather.run(peers, send, 1, rank == BROKEN ? GAPS : receive, APART);
                    case "allgather=bruck" -> Allgather.run(peers, send, 1, receive, rank == BROKEN ? MANY : APART);
                    case "alltoall=rotation" -> Alltoall.run(peers, send, rank == BROKEN ? MUCH : APART, rank == BROKEN ? send : receive, APART);
                    default -> {
                        Blocks each = Blocks.even(rank == BROKEN ? most : 1);
                        Region own = rank == BROKEN ? new Region(Base.LONG, Layout.ONE, new long[1], 0) : send;
                        Alltoall.run(peers, own, each, rank == BROKEN ? own : receive, each);
                    }
                }
            };
            if (rank == BROKEN) {
                assertThatThrownBy(call::run).isInstanceOf(ProgramException.class).hasRootCauseInstanceOf(OutOfMemoryError.class);
            } else {
                call.run();
            }
        });
        assertThat(failures.get(BROKEN + 1)).hasMessageContaining("SPOILED");
    }

    private static final Region GAPS =
            new Region(Base.INT, Layout.ONE.resized(0, (Integer.MAX_VALUE - 1) / (RANKS - 1)), new int[1], 0);

    /** One element each, the first of them last. */
    private static final Blocks APART = Blocks.at(new int[] {1, 1, 1, 1, 1, 1, 1, 1}, new int[] {7, 0, 1, 2, 3, 4, 5, 6});

    private static final Blocks MUCH =
            Blocks.at(new int[] {Integer.MAX_VALUE, 1, 1, 1, 1, 1, 1, 1}, new int[] {0, 0, 1, 2, 3, 4, 5, 6});

    private static final Blocks MANY =
            Blocks.at(new int[] {1, 1, 1, 1, 1, 1, 1, Integer.MAX_VALUE - RANKS + 1}, new int[] {0, 0, 1, 2, 3, 4, 5, 6});

    @ParameterizedTest
    @ValueSource(strings = {
        "reduce=flat", "reduce=binomial", "reduce=chain", "scan=doubling", "scan=chain", "allreduce=doubling", "allreduce=halving", "allreduce=reduce-bcast",
        "reduce-scatter=rotation",
        "reduce-scatter=reduce-scatter"
    })
    void ranksThatGiveFewerElementsAreFound(String forced) {
        AtomicReferenceArray<ReceiveException> failures = failures(forced, 1 << 20, (peers, rank) -> {
            Region region = ints(new int[40 * RANKS]);
            String operation = forced.substring(0, forced.indexOf('='));
            // One that sends before it receives.
            int fewer = operation.equals("scan") ? 0 : RANKS - 1;
            int count = rank == fewer ? 40 - RANKS : 40;
            switch (operation) {
                case "reduce" -> Reduce.run(peers, region, region, count, SUM, 0);
                case "scan" -> Scan.run(peers, region, region, count, SUM);
                case "allreduce" -> Allreduce.run(peers, region, region, count, SUM);
                default -> ReduceScatter.run(peers, region, region, Blocks.even(count), SUM);
            }
        });
        List<ReceiveException> told = IntStream.range(0, RANKS).mapToObj(failures::get).filter(Objects::nonNull).toList();
        assertThat(told).extracting(ReceiveException::kind).contains(ReceiveException.Kind.COUNT);
        assertThat(told).extracting(Throwable::getMessage).anyMatch(text -> text.matches("message of \\d+ INT elements, expected \\d+:.*"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"bcast=flat", "bcast=binomial", "bcast=chain"})
    void shorterBroadcastDeliversItsElementsToAllRanks(String forced) {
        for (int given : new int[] {0, 3, 40_000}) {
            AtomicReferenceArray<ReceiveException> failures = failures(forced, 1 << 20, (peers, rank) -> {
                int[] values = new int[given + rank + 1];
                values[given / 2] = rank;
                Broadcast.run(peers, ints(values), given + rank, 0);
                assertThat(Arrays.stream(values).limit(given).sum()).isZero();
            });
            assertThat(IntStream.range(0, RANKS).mapToObj(failures::get)).containsOnlyNulls();
        }
    }

    /** Counts how often it is written. */
    private static final class Counted implements Serializable {
        private static final long serialVersionUID = 1L;
        private static int written;

        private static synchronized int written() {
            return written;
        }

        private Object writeReplace() {
            synchronized (Counted.class) {
                written++;
            }
            return this;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"bcast=binomial", "bcast=flat"})
    void serializesABroadcastObjectOnce(String forced) {
        int before = Counted.written();
        failures(forced, -1, (peers, rank) -> {
            Object[] objects = {rank == 3 ? new Counted() : null};
            Broadcast.run(peers, new Region(Base.OBJECT, Layout.ONE, objects, 0), 1, 3);
            assertThat(objects[0]).isNotNull();
        });
        assertThat(Counted.written() - before).isEqualTo(1);
    }
}
