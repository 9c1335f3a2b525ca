package mpi;

import static mpi.Samples.copy;
import static mpi.Samples.empty;
import static mpi.Samples.requireSame;
import static mpi.Samples.slice;
import static mpi.Samples.small;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.LocalWorld;

/** Every reduction against a fold over the ranks, one element at a time. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
@SuppressWarnings("ReferenceEquality") // Each predefined operation and datatype exists once.
class ReductionsTest {
    private static final List<Op> OPS = List.of(
            MPI.SUM, MPI.PROD, MPI.MAX, MPI.MIN, MPI.LAND, MPI.LOR, MPI.LXOR, MPI.BAND, MPI.BOR, MPI.BXOR, MPI.MAXLOC,
            MPI.MINLOC);

    /** The longest takes longest, element by element. In the short form of the build (ADR 50) it is beyond what is sent eagerly here, whatever its datatype. */
    private static final int[] COUNTS = {0, 1, 13, 700, Boolean.getBoolean("posthouse.long") ? 40_000 : 12_000};

    /** Joins texts, or composes affine maps x -> a*x+b kept as pairs: associative, not commutative. */
    private static final Op COMPOSE = new Op(
            new User_function() {
                @Override
                public void Call(Object in, int inAt, Object inOut, int inOutAt, int count, Datatype type) {
                    for (int i = 0; i < count; i++) {
                        if (type == MPI.OBJECT) {
                            Object[] texts = (Object[]) inOut;
                            texts[inOutAt + i] = "" + ((Object[]) in)[inAt + i] + texts[inOutAt + i];
                        } else {
                            compose((int[]) in, inAt + 2 * i, (int[]) inOut, inOutAt + 2 * i);
                        }
                    }
                }
            },
            false);

    private static void compose(int[] in, int inAt, int[] inOut, int inOutAt) {
        int factor = in[inAt] * inOut[inOutAt];
        inOut[inOutAt + 1] = in[inAt] * inOut[inOutAt + 1] + in[inAt + 1];
        inOut[inOutAt] = factor;
    }

    private static boolean accepts(Op op, Datatype type) {
        return op == COMPOSE ? type == MPI.OBJECT || type == MPI.INT2 : op.refuses(type) == null;
    }

    /** The operation on one element at index {@code at} of two arrays; the result replaces the right one. */
    private static void apply(Op op, Datatype type, Object left, Object right, int at) {
        if (type.size() == 2 && op != COMPOSE) {
            locate(op, left, right, at);
            return;
        }
        if (op == COMPOSE && type == MPI.INT2) {
            compose((int[]) left, at, (int[]) right, at);
            return;
        }
        Object a = Array.get(left, at);
        Object b = Array.get(right, at);
        Array.set(right, at, op == COMPOSE ? "" + a + b : value(op, type, a, b));
    }

    private static void locate(Op op, Object left, Object right, int at) {
        double a = ((Number) Array.get(left, at)).doubleValue();
        double b = ((Number) Array.get(right, at)).doubleValue();
        double indexOfA = ((Number) Array.get(left, at + 1)).doubleValue();
        double indexOfB = ((Number) Array.get(right, at + 1)).doubleValue();
        boolean leftWins = a == b ? indexOfA < indexOfB : op == MPI.MAXLOC ? a > b : a < b;
        if (leftWins) {
            Array.set(right, at, Array.get(left, at));
            Array.set(right, at + 1, Array.get(left, at + 1));
        }
    }

    private static Object value(Op op, Datatype type, Object a, Object b) {
        if (a instanceof Boolean x && b instanceof Boolean y) {
            return op == MPI.LAND ? x && y : op == MPI.LOR ? x || y : x ^ y;
        }
        double x = a instanceof Character c ? c : ((Number) a).doubleValue();
        double y = b instanceof Character c ? c : ((Number) b).doubleValue();
        double result;
        if (op == MPI.SUM) {
            result = x + y;
        } else if (op == MPI.PROD) {
            result = x * y;
        } else if (op == MPI.MAX) {
            result = x > y ? x : y;
        } else if (op == MPI.MIN) {
            result = x < y ? x : y;
        } else if (op == MPI.LAND || op == MPI.LOR || op == MPI.LXOR) {
            result = (boolean) value(op, MPI.BOOLEAN, x != 0, y != 0) ? 1 : 0;
        } else {
            result = op == MPI.BAND ? (int) x & (int) y : op == MPI.BOR ? (int) x | (int) y : (int) x ^ (int) y;
        }
        return switch (type.base()) {
            case BYTE -> (byte) (long) result;
            case CHAR -> (char) (long) result;
            case SHORT -> (short) (long) result;
            case INT -> (int) (long) result;
            case LONG -> (long) result;
            case FLOAT -> (float) result;
            default -> result;
        };
    }

    /** One operation on elements of one datatype: what every rank gives, and what is to come out. */
    private static final class Case {
        final int size;
        final Op op;
        final Datatype type;
        final int count;
        final long seed;
        private final Object[] given;
        private final Object[] folds;

        Case(int size, Op op, Datatype type, int count, long seed) {
            this.size = size;
            this.op = op;
            this.type = type;
            this.count = count;
            this.seed = seed;
            given = new Object[size];
            Arrays.setAll(given, rank -> small(type, count * type.size(), seed + rank));
            folds = new Object[size + 1];
        }

        Object of(int rank) {
            return copy(given[rank]);
        }

        Object room() {
            return empty(type, count * type.size());
        }

        synchronized Object all() {
            return upTo(size);
        }

        /** The fold of the ranks [0, ranks) in rank order. */
        synchronized Object upTo(int ranks) {
            if (folds[ranks] == null) {
                folds[ranks] = of(ranks - 1);
                for (int i = 0; i < count && ranks > 1; i++) {
                    apply(op, type, upTo(ranks - 1), folds[ranks], i * type.size());
                }
            }
            return folds[ranks];
        }

        @Override
        public String toString() {
            return op + " of " + count + " " + type + " over " + size + " ranks";
        }
    }

    private interface Check {
        void run(Intracomm world, int rank, Case of) throws Exception;
    }

    /** Every operation on every datatype that it takes; small and large. */
    private static void all(int size, Check check) {
        List<Datatype> types = new ArrayList<>(Samples.BASIC);
        types.addAll(Samples.PAIRS);
        List<Op> ops = new ArrayList<>(OPS);
        ops.add(COMPOSE);
        long seed = size * 1000L;
        for (Op op : ops) {
            for (Datatype type : types) {
                if (accepts(op, type)) {
                    once(size, check, op, type, ++seed);
                }
            }
        }
    }

    private static void once(int size, Check check, Op op, Datatype type, long seed) {
        Random random = new Random(seed);
        int drawn = COUNTS[random.nextInt(COUNTS.length)];
        int count = type == MPI.OBJECT ? Math.min(drawn, 100) : drawn;
        LocalWorld machine = new LocalWorld(size).seed(seed).eagerBytesMax(random.nextBoolean() ? -1 : 10_000);
        if (random.nextInt(4) == 0) {
            machine.sites(IntStream.range(0, size).map(rank -> rank * 5 % 3).toArray());
        }
        Case drawnCase = new Case(size, op, type, count, seed);
        Ranks.run(machine, size, (world, rank) -> check.run(world, rank, drawnCase));
    }

    static IntStream sizes() {
        return IntStream.of(Boolean.getBoolean("posthouse.long") ? new int[] {1, 2, 3, 4, 7} : new int[] {1, 2, 3, 4});
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void reducesInRankOrder(int size) {
        all(size, (world, rank, of) -> {
            int root = (int) (of.seed % size);
            Object mine = of.of(rank);
            Object room = rank == root ? empty(of.type, of.count * of.type.size() + 1) : null;
            world.Reduce(mine, 0, room, 1, of.count, of.type, of.op, root);
            requireSame("send buffer", mine, of.of(rank));
            if (rank == root) {
                requireSame("Reduce " + of, slice(room, 1, of.count * of.type.size()), of.all());
            }
        });
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void reducesEverywhere(int size) {
        all(size, (world, rank, of) -> {
            Object mine = of.of(rank);
            Object room = of.room();
            world.Allreduce(mine, 0, room, 0, of.count, of.type, of.op);
            requireSame("send buffer", mine, of.of(rank));
            requireSame("Allreduce " + of, room, of.all());
            world.Allreduce(mine, 0, mine, 0, of.count, of.type, of.op);
            requireSame("Allreduce in place " + of, mine, of.all());
        });
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void scansInRankOrder(int size) {
        all(size, (world, rank, of) -> {
            Object mine = of.of(rank);
            Object room = of.room();
            world.Scan(mine, 0, room, 0, of.count, of.type, of.op);
            requireSame("Scan " + of + " at " + rank, room, of.upTo(rank + 1));
            world.Scan(mine, 0, mine, 0, of.count, of.type, of.op);
            requireSame("Scan in place " + of + " at " + rank, mine, of.upTo(rank + 1));
        });
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void reducesAndScatters(int size) {
        all(size, (world, rank, of) -> {
            int[] counts = drawCounts(of);
            int unit = of.type.size();
            int before = Arrays.stream(counts, 0, rank).sum();
            Object mine = of.of(rank);
            Object room = empty(of.type, counts[rank] * unit);
            world.Reduce_scatter(mine, 0, room, 0, counts, of.type, of.op);
            Object expected = slice(of.all(), before * unit, counts[rank] * unit);
            requireSame("Reduce_scatter " + of + " at " + rank, room, expected);
            world.Reduce_scatter(mine, 0, mine, 0, counts, of.type, of.op);
            requireSame("Reduce_scatter in place " + of, slice(mine, 0, counts[rank] * unit), expected);
        });
    }

    /** Random lengths whose sum is the case's count, in an array longer than the group. */
    private static int[] drawCounts(Case of) {
        int[] counts = new int[of.size + 1];
        Arrays.fill(counts, -1);
        Random random = new Random(of.seed);
        int left = of.count;
        for (int to = 0; to < of.size; to++) {
            int most = Math.min(left, 2 * of.count / of.size + 1);
            counts[to] = to == of.size - 1 ? left : random.nextInt(most + 1);
            left -= counts[to];
        }
        return counts;
    }

    @Test
    void reducesInPlaceAtTheRoot() {
        for (int count : new int[] {5, 200_000}) {
            Case of = new Case(5, MPI.SUM, MPI.INT, count, 0);
            Ranks.run(5, (world, rank) -> {
                Object values = of.of(rank);
                world.Reduce(values, 0, values, 0, count, MPI.INT, MPI.SUM, 3);
                requireSame("values at rank " + rank, values, rank == 3 ? of.all() : of.of(rank));
            });
        }
    }

    @Test
    void allreduceRoundsIdenticallyAtAllRanks() {
        for (int size : new int[] {3, 5, 6, 7, 8}) {
            for (int count : new int[] {10, 3000, 100_000}) {
                double[][] results = new double[size][count];
                Ranks.run(size, (world, rank) -> {
                    double[] mine = (double[]) Samples.random(MPI.DOUBLE, count, rank);
                    world.Allreduce(mine, 0, results[rank], 0, count, MPI.DOUBLE, MPI.SUM);
                });
                for (double[] result : results) {
                    assertThat(Arrays.equals(result, results[0])).isTrue();
                }
            }
        }
    }

    @Test
    void mutatingUserFunctionLeavesInputsUnchanged() {
        Op longest = new Op(
                new User_function() {
                    @Override
                    public void Call(Object in, int inAt, Object inOut, int inOutAt, int count, Datatype type) {
                        StringBuilder[] right = (StringBuilder[]) inOut;
                        for (int i = 0; i < count; i++) {
                            right[inOutAt + i].insert(0, ((StringBuilder[]) in)[inAt + i]);
                        }
                    }
                },
                false);
        Ranks.run(4, (world, rank) -> {
            StringBuilder[] mine = {new StringBuilder("" + rank)};
            StringBuilder[] room = new StringBuilder[1];
            world.Scan(mine, 0, room, 0, 1, MPI.OBJECT, longest);
            assertThat(room[0].toString()).isEqualTo("0123".substring(0, rank + 1));
            world.Allreduce(mine, 0, room, 0, 1, MPI.OBJECT, longest);
            assertThat(room[0].toString()).isEqualTo("0123");
            assertThat(mine[0].toString()).isEqualTo("" + rank);
        });
    }

    /** Throws at one rank only. */
    private static Op failingAt(int thrower, int rank, boolean commutes) {
        return new Op(
                new User_function() {
                    @Override
                    public void Call(Object in, int inAt, Object inOut, int inOutAt, int count, Datatype type) {
                        if (rank == thrower) {
                            throw new IllegalStateException("as the test wants it");
                        }
                    }
                },
                commutes);
    }

    /** Which ranks it fails at depends on the algorithm. */
    private static void mayFail(Runnable collective) {
        try {
            collective.run();
        } catch (IllegalStateException e) {
            assertThat(e).hasMessage("as the test wants it");
        } catch (MPIException e) {
            assertThat(e).hasMessageContaining("the sender's own part in this call failed");
        }
    }

    /** Whoever catches it goes on, and so do all others. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 8})
    void collectiveEndsAtAllRanksWhenOneOperationThrows(int size) {
        for (int count : new int[] {8, 40_000}) {
            Ranks.run(size, (world, rank) -> {
                int[] in = new int[size * count];
                int[] out = new int[size * count];
                int[] each = new int[size];
                Arrays.fill(each, count);
                for (int thrower = 0; thrower < 2; thrower++) {
                    for (boolean commutes : new boolean[] {true, false}) {
                        Op op = failingAt(thrower, rank, commutes);
                        mayFail(() -> world.Allreduce(in, 0, out, 0, count, MPI.INT, op));
                        mayFail(() -> world.Reduce(in, 0, out, 0, count, MPI.INT, op, 0));
                        mayFail(() -> world.Scan(in, 0, out, 0, count, MPI.INT, op));
                        mayFail(() -> world.Reduce_scatter(in, 0, out, 0, each, MPI.INT, op));
                        mayFail(() -> world.Iallreduce(in, 0, out, 0, count, MPI.INT, op).Wait());
                        int[] ranks = {rank};
                        world.Allreduce(ranks, 0, ranks, 0, 1, MPI.INT, MPI.SUM);
                        assertThat(ranks[0]).as("nothing of them is left").isEqualTo(size * (size - 1) / 2);
                    }
                }
            });
        }
    }

    /** Adds all array elements that the datatype tells of. */
    private static void addAll(Object in, int inAt, Object inOut, int inOutAt, int count, Datatype type) {
        for (int i = 0; i < count * type.Size(); i++) {
            ((int[]) inOut)[inOutAt + i] += ((int[]) in)[inAt + i];
        }
    }

    private static final User_function ADD = new User_function() {
        @Override
        public void Call(Object in, int inAt, Object inOut, int inOutAt, int count, Datatype type) {
            addAll(in, inAt, inOut, inOutAt, count, type);
        }
    };

    private static final UserFunction ADD_FROM_0 = new UserFunction() {
        @Override
        public void call(Object in, Object inOut, int count, Datatype type) {
            addAll(in, 0, inOut, 0, count, type);
        }
    };

    @Test
    void aDatatypeThatWasFreedLivesInAStartedReduction() {
        Ranks.run(2, (world, rank) -> {
            for (Op op : List.of(new Op(ADD, true), new Op(ADD_FROM_0, true))) {
                Datatype pair = Datatype.Contiguous(2, MPI.INT);
                int[] sum = new int[2];
                if (rank == 1) {
                    // Nothing is combined before the other rank has freed its datatype.
                    world.Recv(new int[0], 0, 0, MPI.INT, 0, 0);
                }
                Request reduction = world.Iallreduce(new int[] {rank, 5}, 0, sum, 0, 1, pair, op);
                pair.Free();
                if (rank == 0) {
                    world.Send(new int[0], 0, 0, MPI.INT, 1, 0);
                }
                reduction.Wait();
                assertThat(sum).containsExactly(1, 10);
                assertThatThrownBy(pair::Size).isInstanceOf(MPIException.class).hasMessageContaining("was freed");
            }
        });
    }

    @Test
    void takesTheFirstIndexOfEqualValues() {
        Ranks.run(7, (world, rank) -> {
            double[] mine = {rank % 3, 10 + rank, rank == 0 ? 0.0 : -0.0, rank};
            double[] greatest = new double[4];
            world.Allreduce(mine, 0, greatest, 0, 2, MPI.DOUBLE2, MPI.MAXLOC);
            assertThat(greatest).containsExactly(2, 12, 0, 0);
            double[] least = new double[4];
            world.Reduce(mine, 0, least, 0, 2, MPI.DOUBLE2, MPI.MINLOC, 6);
            assertThat(least).containsExactly(rank == 6 ? new double[] {0, 10, 0, 0} : new double[4]);
        });
    }
}
