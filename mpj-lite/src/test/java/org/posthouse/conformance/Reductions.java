package org.posthouse.conformance;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongBinaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import mpi.Datatype;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Op;
import mpi.UserFunction;
import mpi.User_function;

/** Every operation on every datatype that it has a meaning for, and a program's own operations. */
final class Reductions {
    private static final int COUNT = 5;

    private Reductions() {}

    /** Small values, so that sums and products of 8 of them fit into a byte. */
    private static long value(int rank, int i) {
        return (rank + i) % 3 + (rank == i ? 1 : 0);
    }

    private static void requireFold(Intracomm world, Op op, List<Sample> samples, LongBinaryOperator fold) {
        int size = world.Size();
        for (Sample sample : samples) {
            Object out = sample.array(COUNT, i -> value(world.Rank() % 4, i));
            Object expected = sample.array(COUNT, i -> IntStream.range(0, size).mapToLong(rank -> value(rank % 4, i)).reduce(fold).orElseThrow());
            Object in = sample.room(COUNT);
            world.Allreduce(out, 0, in, 0, COUNT, sample.type(), op);
            Check.equal(op + " of " + sample.type(), in, expected);
        }
    }

    private static List<Sample> with(List<Sample> samples, Sample more) {
        return Stream.concat(samples.stream(), Stream.of(more)).toList();
    }

    static void sum(Intracomm world) {
        requireFold(world, MPI.SUM, Sample.NUMBERS, Long::sum);
    }

    static void product(Intracomm world) {
        requireFold(world, MPI.PROD, Sample.NUMBERS.subList(1, 6), (a, b) -> a * b);
    }

    static void maximumAndMinimum(Intracomm world) {
        requireFold(world, MPI.MAX, with(Sample.NUMBERS, Sample.CHARS), Math::max);
        requireFold(world, MPI.MIN, with(Sample.NUMBERS, Sample.CHARS), Math::min);
    }

    static void bits(Intracomm world) {
        requireFold(world, MPI.BAND, Sample.INTEGERS, (a, b) -> a & b);
        requireFold(world, MPI.BOR, Sample.INTEGERS, (a, b) -> a | b);
        requireFold(world, MPI.BXOR, Sample.INTEGERS, (a, b) -> a ^ b);
    }

    /** Of booleans; the samples hold whether a number is odd. */
    static void logic(Intracomm world) {
        requireFold(world, MPI.LAND, List.of(Sample.BOOLEANS), (a, b) -> a & b & 1);
        requireFold(world, MPI.LOR, List.of(Sample.BOOLEANS), (a, b) -> (a | b) & 1);
        requireFold(world, MPI.LXOR, List.of(Sample.BOOLEANS), (a, b) -> (a ^ b) & 1);
    }

    private static int first(int size, Comparator<Integer> order) {
        return IntStream.range(0, size).boxed().sorted(order).findFirst().orElseThrow();
    }

    static void places(Intracomm world) {
        int rank = world.Rank();
        int size = world.Size();
        // Values a * 3 % 5 of rank a: of equal ones, the lowest rank's counts.
        int lowest = first(size, (a, b) -> a * 3 % 5 - b * 3 % 5);
        int highest = first(size, (a, b) -> b * 3 % 5 - a * 3 % 5);
        Datatype[] types = {MPI.SHORT2, MPI.INT2, MPI.LONG2, MPI.FLOAT2, MPI.DOUBLE2};
        Sample[] samples = Sample.NUMBERS.subList(1, 6).toArray(Sample[]::new);
        for (int i = 0; i < types.length; i++) {
            Object out = samples[i].array(2, at -> at == 0 ? rank * 3 % 5 : rank);
            Object in = samples[i].room(2);
            world.Allreduce(out, 0, in, 0, 1, types[i], MPI.MINLOC);
            Check.equal("lowest " + types[i], in, samples[i].array(2, at -> at == 0 ? lowest * 3 % 5 : lowest));
            world.Allreduce(out, 0, in, 0, 1, types[i], MPI.MAXLOC);
            Check.equal("highest " + types[i], in, samples[i].array(2, at -> at == 0 ? highest * 3 % 5 : highest));
        }
    }

    static void manyElements(Intracomm world) {
        int size = world.Size();
        double[] out = IntStream.range(0, 60_000).mapToDouble(i -> i + world.Rank()).toArray();
        double[] in = new double[60_000];
        world.Allreduce(out, 0, in, 0, 60_000, MPI.DOUBLE, MPI.SUM);
        double ranks = size * (size - 1) / 2;
        Check.equal("sums", in, IntStream.range(0, in.length).mapToDouble(i -> (double) i * size + ranks).toArray());
    }

    /** One array for both sides. */
    static void inOneArray(Intracomm world) {
        int[] values = {world.Rank(), 1};
        world.Allreduce(values, 0, values, 0, 2, MPI.INT, MPI.SUM);
        int size = world.Size();
        Check.equal("sums", values, new int[] {size * (size - 1) / 2, size});
    }

    // ---- a program's own operations

    /** Joins texts: associative, not commutative. */
    private static final class Join extends User_function {
        @Override
        public void Call(Object in, int inAt, Object inOut, int inOutAt, int count, Datatype datatype) {
            for (int i = 0; i < count; i++) {
                Object[] to = (Object[]) inOut;
                to[inOutAt + i] = ((Object[]) in)[inAt + i] + "," + to[inOutAt + i];
            }
        }
    }

    /** Composes the affine maps {@code x -> a x + b} in pairs (a, b): associative, not commutative. */
    private static final class Compose extends UserFunction {
        @Override
        public void call(Object in, Object inOut, int count, Datatype datatype) {
            int[] first = (int[]) in;
            int[] second = (int[]) inOut;
            for (int i = 0; i < 2 * count; i += 2) {
                second[i + 1] += second[i] * first[i + 1];
                second[i] *= first[i];
            }
        }
    }

    /** The same on buffers. */
    private static final class ComposeInBuffers extends UserFunction {
        @Override
        public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype datatype) {
            for (int i = 0; i < 8 * count; i += 8) {
                inOut.putInt(i + 4, inOut.getInt(i + 4) + inOut.getInt(i) * in.getInt(i + 4));
                inOut.putInt(i, inOut.getInt(i) * in.getInt(i));
            }
        }
    }

    private static String joined(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).collect(Collectors.joining(","));
    }

    static void ranksAreJoinedInTheirOrder(Intracomm world) {
        Op join = new Op(new Join(), false);
        Check.that(!join.isCommutative(), "the operation is not commutative");
        int rank = world.Rank();
        int size = world.Size();
        String[] own = {Integer.toString(rank)};
        String[] in = new String[1];
        world.Allreduce(own, 0, in, 0, 1, MPI.OBJECT, join);
        Check.equal("Allreduce", in[0], joined(0, size));
        world.Reduce(own, 0, in, 0, 1, MPI.OBJECT, join, size - 1);
        Check.equal("Reduce", in[0], joined(0, size));
        world.Scan(own, 0, in, 0, 1, MPI.OBJECT, join);
        Check.equal("Scan", in[0], joined(0, rank + 1));
        world.Exscan(own, 0, in, 0, 1, MPI.OBJECT, join);
        Check.equal("Exscan", in[0], rank == 0 ? "0" : joined(0, rank));
        String[] all = new String[size];
        Arrays.fill(all, own[0]);
        world.Reduce_scatter_block(all, 0, in, 0, 1, MPI.OBJECT, join);
        Check.equal("Reduce_scatter_block", in[0], joined(0, size));
        join.Free();
        Check.that(join.isNull(), "a freed operation is null");
    }

    private static void requireComposition(Intracomm world, UserFunction function) {
        Op compose = new Op(function, false);
        Datatype map = Datatype.Contiguous(2, MPI.INT);
        int elements = 40;
        int rankHere = world.Rank();
        int[] own = IntStream.range(0, 2 * elements).map(i -> i % 2 == 0 ? rankHere % 2 + 1 : rankHere + i).toArray();
        int[] in = new int[2 * elements];
        world.Allreduce(own, 0, in, 0, elements, map, compose);
        for (int i = 0; i < 2 * elements; i += 2) {
            int a = 1;
            int b = 0;
            for (int rank = 0; rank < world.Size(); rank++) {
                b = (rank % 2 + 1) * b + rank + i + 1;
                a *= rank % 2 + 1;
            }
            Check.equal("map " + i / 2, new int[] {in[i], in[i + 1]}, new int[] {a, b});
        }
        compose.free();
        Check.that(compose.isNull(), "a freed operation is null");
    }

    static void mapsAreComposedInRankOrder(Intracomm world) {
        requireComposition(world, new Compose());
        requireComposition(world, new ComposeInBuffers());
    }

    static void aFunctionsTwoForms(Intracomm world) {
        int[] first = {2, 3};
        int[] second = {5, 7};
        UserFunction onArrays = new Compose();
        ByteBuffer in = MPI.newByteBuffer(8).putInt(0, 2).putInt(4, 3);
        ByteBuffer inOut = MPI.newByteBuffer(8).putInt(0, 5).putInt(4, 7);
        onArrays.call(in, inOut, 1, Datatype.Contiguous(2, MPI.INT));
        onArrays.call(first, second, 1, MPI.INT);
        Check.equal("result in the buffer", new int[] {inOut.getInt(0), inOut.getInt(4)}, second);
        UserFunction neither = new UserFunction() {};
        try {
            neither.call(first, second, 1, MPI.INT);
            throw new AssertionError("a function without a form was called");
        } catch (UnsupportedOperationException e) {
            Check.that(e.getMessage().contains("overrides neither"), "the message says what is missing");
        }
        User_function join = new Join();
        Object[] texts = {"b"};
        join.Call(new Object[] {"a"}, 0, texts, 0, 1, MPI.OBJECT);
        Check.equal("joined", texts[0], "a,b");
    }

    static void aSumOfOnesOwn(Intracomm world) {
        Op own = new Op(
                new User_function() {
                    @Override
                    public void Call(Object in, int inAt, Object inOut, int inOutAt, int count, Datatype datatype) {
                        for (int i = 0; i < count; i++) {
                            int left = Array.getInt(in, inAt + i);
                            Array.setInt(inOut, inOutAt + i, left + Array.getInt(inOut, inOutAt + i));
                        }
                    }
                },
                true);
        Check.that(own.isCommutative() && !own.isNull(), "the operation is commutative");
        int[] in = new int[1];
        world.Allreduce(new int[] {world.Rank() + 1}, 0, in, 0, 1, MPI.INT, own);
        Check.equal("sum", in[0], world.Size() * (world.Size() + 1) / 2);
    }

    static void predefinedOnesStay(Intracomm world) {
        Check.that(MPI.SUM.isCommutative() && !MPI.SUM.isNull(), "SUM is commutative");
        Check.error(MPI.ERR_OP, "free", () -> MPI.SUM.free());
        Check.error(MPI.ERR_OP, "Free", () -> MPI.MAX.Free());
    }

    static void complexNumbers(Intracomm world) {
        int size = world.Size();
        float[] sum = {world.Rank(), 1};
        world.Allreduce(sum, 0, sum, 0, 1, MPI.FLOAT_COMPLEX, MPI.SUM);
        Check.equal("sum", sum, new float[] {size * (size - 1) / 2, size});
        double[] product = {0, 1};
        world.Allreduce(product, 0, product, 0, 1, MPI.DOUBLE_COMPLEX, MPI.PROD);
        double[][] powers = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
        boolean right = product[0] == powers[size % 4][0] && product[1] == powers[size % 4][1];
        Check.that(right, "a power of i, not " + Arrays.toString(product));
    }
}
