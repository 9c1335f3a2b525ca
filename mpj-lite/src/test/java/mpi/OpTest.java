package mpi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.mpj.coll.Reduction;

/** Operations: which datatypes they take, pairs in bytes, complex numbers, and programs' own functions in both forms. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class OpTest {
    private static void combine(Op op, Datatype type, Object in, int inAt, Object inOut, int inOutAt, int count) {
        Reduction reduction = op.on(type);
        reduction.combine(type.region(in, inAt), 0, type.region(inOut, inOutAt), 0, count);
    }

    // ---- which operation goes with which datatype

    static Stream<Arguments> meanings() {
        List<Datatype> integers = List.of(MPI.BYTE, MPI.CHAR, MPI.SHORT, MPI.INT, MPI.LONG);
        List<Datatype> reals = List.of(MPI.FLOAT, MPI.DOUBLE);
        List<Datatype> complex = List.of(MPI.FLOAT_COMPLEX, MPI.DOUBLE_COMPLEX);
        List<Datatype> truths = List.of(MPI.BOOLEAN);
        List<Datatype> pairs = List.of(
                MPI.SHORT2, MPI.INT2, MPI.LONG2, MPI.FLOAT2, MPI.DOUBLE2, MPI.SHORT_INT, MPI.LONG_INT, MPI.FLOAT_INT,
                MPI.DOUBLE_INT);
        return Stream.of(
                meaning(List.of(MPI.SUM, MPI.PROD), integers, reals, complex),
                meaning(List.of(MPI.MAX, MPI.MIN), integers, reals),
                meaning(List.of(MPI.LAND, MPI.LOR, MPI.LXOR), integers, truths),
                meaning(List.of(MPI.BAND, MPI.BOR, MPI.BXOR), integers),
                meaning(List.of(MPI.MAXLOC, MPI.MINLOC), pairs))
                .flatMap(each -> each);
    }

    @SafeVarargs
    private static Stream<Arguments> meaning(List<Op> ops, List<Datatype>... types) {
        List<Datatype> all = Arrays.stream(types).flatMap(List::stream).toList();
        return ops.stream().map(op -> Arguments.of(op, all));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("meanings")
    void hasAMeaningForTheseDatatypesOnly(Op op, List<Datatype> types) {
        List<Datatype> all = List.of(
                MPI.BYTE, MPI.CHAR, MPI.SHORT, MPI.BOOLEAN, MPI.INT, MPI.LONG, MPI.FLOAT, MPI.DOUBLE, MPI.OBJECT,
                MPI.SHORT2, MPI.INT2, MPI.LONG2, MPI.FLOAT2, MPI.DOUBLE2, MPI.FLOAT_COMPLEX, MPI.DOUBLE_COMPLEX,
                MPI.SHORT_INT, MPI.LONG_INT, MPI.FLOAT_INT, MPI.DOUBLE_INT);
        for (Datatype type : all) {
            assertThat(op.refuses(type) == null).as(op + " of " + type).isEqualTo(types.contains(type));
        }
        assertThat(op.isCommutative()).isTrue();
        assertThat(op.refuses(Datatype.Contiguous(2, MPI.DOUBLE_INT))).contains("has no meaning");
    }

    // ---- pairs in bytes

    private static final Datatype[] STRUCTS = {MPI.SHORT_INT, MPI.LONG_INT, MPI.FLOAT_INT, MPI.DOUBLE_INT};

    @Test
    void laysPairsOutAsCDoes() {
        int[] sizes = {6, 12, 8, 12};
        int[] extents = {8, 16, 8, 16};
        for (int each = 0; each < STRUCTS.length; each++) {
            assertThat(STRUCTS[each].Size()).isEqualTo(sizes[each]);
            assertThat(STRUCTS[each].Extent()).isEqualTo(extents[each]);
            assertThat(STRUCTS[each].getLb()).isZero();
        }
    }

    private static void put(Datatype type, ByteBuffer bytes, int pair, int value, int index) {
        int at = pair * type.Extent();
        switch (type.unit()) {
            case SHORT_INT -> bytes.putShort(at, (short) value);
            case LONG_INT -> bytes.putLong(at, value * 10_000_000_000L);
            case FLOAT_INT -> bytes.putFloat(at, value / 8f);
            default -> bytes.putDouble(at, value / 8.0);
        }
        bytes.putInt(at + type.Extent() / 2, index);
    }

    /** Pairs from index 1 of an array on, which ends with the last pair's data, all gaps filled with a mark. */
    private static byte[] pairs(Datatype type, int[][] pairs) {
        byte[] array = new byte[1 + (int) type.layout().end(pairs.length)];
        Arrays.fill(array, (byte) 0x55);
        ByteBuffer bytes = ByteBuffer.wrap(array, 1, array.length - 1).slice().order(ByteOrder.nativeOrder());
        for (int each = 0; each < pairs.length; each++) {
            put(type, bytes, each, pairs[each][0], pairs[each][1]);
        }
        return array;
    }

    private static int[][] draw(Random random, int count) {
        int[][] pairs = new int[count][];
        Arrays.setAll(pairs, each -> new int[] {random.nextInt(5) - 2, random.nextInt(7) - 3});
        return pairs;
    }

    @Test
    void locatesInBytesAndLeavesGapsAlone() {
        Random random = new Random(4);
        for (Datatype type : STRUCTS) {
            for (int round = 0; round < 50; round++) {
                int[][] left = draw(random, 20);
                int[][] right = draw(random, 20);
                for (Op op : List.of(MPI.MAXLOC, MPI.MINLOC)) {
                    int[][] expected = new int[20][];
                    Arrays.setAll(expected, each -> winner(op == MPI.MAXLOC ? 1 : -1, left[each], right[each]));
                    byte[] in = pairs(type, left);
                    byte[] inOut = pairs(type, right);
                    combine(op, type, in, 1, inOut, 1, 20);
                    assertThat(inOut).as(op + " of " + type).isEqualTo(pairs(type, expected));
                    assertThat(in).isEqualTo(pairs(type, left));
                }
            }
        }
    }

    private static int[] winner(int sign, int[] left, int[] right) {
        int order = sign * Integer.compare(left[0], right[0]);
        return order > 0 || order == 0 && left[1] < right[1] ? left : right;
    }

    @Test
    void locatesBetweenRanks() {
        Ranks.run(5, (world, rank) -> {
            for (Datatype type : STRUCTS) {
                int[][] mine = {{rank % 3, rank}, {-rank, rank}, {7, 10 - rank}};
                byte[] greatest = pairs(type, new int[3][2]);
                world.Allreduce(pairs(type, mine), 1, greatest, 1, 3, type, MPI.MAXLOC);
                assertThat(greatest).isEqualTo(pairs(type, new int[][] {{2, 2}, {0, 0}, {7, 6}}));
            }
        });
    }

    @Test
    void bothZerosAreEqualAndNotANumberIsTheGreatest() {
        byte[] left = new byte[16];
        byte[] right = new byte[16];
        ByteBuffer in = ByteBuffer.wrap(left).order(ByteOrder.nativeOrder());
        ByteBuffer inOut = ByteBuffer.wrap(right).order(ByteOrder.nativeOrder());
        in.putDouble(0, 0.0).putInt(8, 3);
        inOut.putDouble(0, -0.0).putInt(8, 2);
        combine(MPI.MAXLOC, MPI.DOUBLE_INT, left, 0, right, 0, 1);
        assertThat(inOut.getInt(8)).isEqualTo(2);
        in.putDouble(0, Double.NaN);
        combine(MPI.MAXLOC, MPI.DOUBLE_INT, left, 0, right, 0, 1);
        assertThat(inOut.getInt(8)).isEqualTo(3);
    }

    // ---- complex numbers

    @Test
    void addsAndMultipliesComplexNumbers() {
        double[] sum = {9, 1, 2, 3, 4};
        combine(MPI.SUM, MPI.DOUBLE_COMPLEX, new double[] {5, 6, -7, 8}, 0, sum, 1, 2);
        assertThat(sum).containsExactly(9, 6, 8, -4, 12);
        double[] product = {9, 1, 2, 0, 1};
        combine(MPI.PROD, MPI.DOUBLE_COMPLEX, new double[] {5, 6, 0, 1}, 0, product, 1, 2);
        assertThat(product).containsExactly(9, -7, 16, -1, 0);
        float[] floats = {1, 2, 0, 1, 9};
        combine(MPI.PROD, MPI.FLOAT_COMPLEX, new float[] {9, 5, 6, 0, 1}, 1, floats, 0, 2);
        assertThat(floats).containsExactly(-7, 16, -1, 0, 9);
        combine(MPI.SUM, MPI.FLOAT_COMPLEX, new float[] {1, 1}, 0, floats, 2, 1);
        assertThat(floats).containsExactly(-7, 16, 0, 1, 9);
    }

    @Test
    void multipliesComplexNumbersOfAllRanks() {
        // (1+i)^n for n ranks, in a datatype with gaps.
        Datatype spread = Datatype.Vector(2, 1, 2, MPI.DOUBLE_COMPLEX);
        Ranks.run(4, (world, rank) -> {
            double[] mine = {1, 1, 9, 9, 1, 2};
            double[] all = new double[6];
            world.Allreduce(mine, 0, all, 0, 1, spread, MPI.PROD);
            assertThat(all).containsExactly(-4, 0, 0, 0, -7, -24);
        });
    }

    // ---- programs' own

    /** Joins decimal digits: associative where nothing overflows, not commutative. */
    private static final class Joined extends UserFunction {
        @Override
        public void call(Object in, Object inOut, int count, Datatype type) {
            long[] left = (long[]) in;
            long[] right = (long[]) inOut;
            assertThat(left).hasSize(count);
            assertThat(right).hasSize(count);
            for (int i = 0; i < right.length; i++) {
                right[i] = Long.parseLong("" + left[i] + right[i]);
            }
        }
    }

    @Test
    void aFunctionOnArraysGetsThemFromIndexZeroOn() {
        Op op = new Op(new Joined(), false);
        assertThat(op.isCommutative()).isFalse();
        long[] inOut = {9, 3, 4, 9};
        long[] in = {9, 9, 1, 2};
        combine(op, MPI.LONG, in, 2, inOut, 1, 2);
        assertThat(inOut).containsExactly(9, 13, 24, 9);
        assertThat(in).containsExactly(9, 9, 1, 2);
        long[] whole = {3, 4};
        combine(op, MPI.LONG, new long[] {1, 2}, 0, whole, 0, 2);
        assertThat(whole).containsExactly(13, 24);
    }

    @Test
    void aFunctionOnArraysCombinesInRankOrder() {
        Op op = new Op(new Joined(), false);
        Ranks.run(5, (world, rank) -> {
            long[] mine = {-1, rank + 1, 2 * rank};
            long[] all = new long[4];
            world.Allreduce(mine, 1, all, 2, 2, MPI.LONG, op);
            assertThat(all).containsExactly(0, 0, 12345, 2468);
        });
    }

    @Test
    void aFunctionOnBuffersGetsDirectOnesInNativeOrder() {
        Op op = new Op(
                new UserFunction() {
                    @Override
                    public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype type) {
                        for (ByteBuffer each : List.of(in, inOut)) {
                            assertThat(each.isDirect()).isTrue();
                            assertThat(each.order()).isEqualTo(ByteOrder.nativeOrder());
                            assertThat(each.position()).isZero();
                            assertThat(each.remaining()).isEqualTo(count * Integer.BYTES);
                        }
                        for (int i = 0; i < count; i++) {
                            inOut.putInt(in.getInt() - inOut.getInt(4 * i));
                        }
                    }
                },
                true);
        int[] inOut = {9, 1, 2, 9};
        combine(op, MPI.INT, new int[] {10, 20}, 0, inOut, 1, 2);
        assertThat(inOut).containsExactly(9, 9, 18, 9);
    }

    @Test
    void theBufferFormOfAFunctionOnArraysCopies() {
        ByteBuffer in = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()).putLong(0, 1).putLong(8, 2);
        ByteBuffer inOut = ByteBuffer.allocateDirect(16).order(ByteOrder.nativeOrder()).putLong(0, 3).putLong(8, 4);
        new Joined().call(in, inOut, 2, MPI.LONG);
        assertThat(inOut.getLong(0)).isEqualTo(13);
        assertThat(inOut.getLong(8)).isEqualTo(24);
        assertThat(inOut.position()).isZero();
    }

    @Test
    void truthsAndObjectsComeAsArraysAlways() {
        Op op = new Op(
                new UserFunction() {
                    @Override
                    public void call(Object in, Object inOut, int count, Datatype type) {
                        if (inOut instanceof boolean[] right) {
                            right[0] = ((boolean[]) in)[0] && !right[0];
                        } else {
                            ((Object[]) inOut)[0] = "" + ((Object[]) in)[0] + ((Object[]) inOut)[0];
                        }
                    }

                    @Override
                    public void call(ByteBuffer in, ByteBuffer inOut, int count, Datatype type) {
                        throw new AssertionError("called with buffers");
                    }
                },
                false);
        boolean[] truth = {true, false};
        combine(op, MPI.BOOLEAN, new boolean[] {true}, 0, truth, 1, 1);
        assertThat(truth).containsExactly(true, true);
        String[] texts = {"x", "b"};
        combine(op, MPI.OBJECT, new String[] {"a"}, 0, texts, 1, 1);
        assertThat(texts).containsExactly("x", "ab");
        assertThatThrownBy(() -> combine(op, MPI.INT, new int[1], 0, new int[1], 0, 1))
                .hasMessage("called with buffers");
    }

    @Test
    void aFunctionGetsTheGapsOfADatatypeToo() {
        Datatype everyOther = Datatype.Vector(2, 1, 2, MPI.INT);
        Op op = new Op(
                new UserFunction() {
                    @Override
                    public void call(Object in, Object inOut, int count, Datatype type) {
                        int[] left = (int[]) in;
                        int[] right = (int[]) inOut;
                        assertThat(right).hasSize(count * 3);
                        for (int i = 0; i < right.length; i++) {
                            right[i] += left[i];
                        }
                    }
                },
                true);
        int[] inOut = {9, 1, 2, 3, 4, 5, 6};
        combine(op, everyOther, new int[] {10, 0, 30, 40, 0, 60}, 0, inOut, 1, 2);
        assertThat(inOut).containsExactly(9, 11, 2, 33, 44, 5, 66);
        // Where the gap behind the last element is beyond the array, there is one all the same.
        Datatype wide = Datatype.createResized(Datatype.Contiguous(2, MPI.INT), 0, 3 * Integer.BYTES);
        int[] short3 = {9, 1, 2};
        combine(op, wide, new int[] {10, 20, 99}, 0, short3, 1, 1);
        assertThat(short3).containsExactly(9, 11, 22);
    }

    @Test
    void userFunctionWithoutOverrideIsReportedByClassName() {
        Op op = new Op(new UserFunction() {}, true);
        assertThatThrownBy(() -> combine(op, MPI.INT, new int[1], 0, new int[1], 0, 1))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("OpTest");
    }

    // ---- giving back

    @Test
    void aFreedOperationIsRefused() {
        Op op = new Op(new Joined(), true);
        assertThat(op.isNull()).isFalse();
        op.Free();
        assertThat(op.isNull()).isTrue();
        requireOpError("free: operation mpi.OpTest$Joined was freed", op::free);
        requireOpError("Free: operation SUM is predefined", MPI.SUM::Free);
        assertThat(MPI.SUM.isNull()).isFalse();
        Ranks.run(1, (world, rank) -> requireOpError(
                "Joined was freed",
                () -> world.Allreduce(new long[1], 0, new long[1], 0, 1, MPI.LONG, op)));
    }

    private static void requireOpError(String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        MPIException.class, e -> assertThat(e.getErrorClass()).isEqualTo(MPI.ERR_OP))
                .hasMessageContaining(message);
    }

    @Test
    void needsAFunction() {
        assertThatThrownBy(() -> new Op((UserFunction) null, true)).hasMessageContaining("expected a UserFunction");
    }
}
