package mpi;

import java.lang.reflect.Array;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Arrays of every datatype with values that tell where they come from. */
public final class Samples {
    static final List<Datatype> BASIC = List.of(
            MPI.BYTE, MPI.CHAR, MPI.SHORT, MPI.BOOLEAN, MPI.INT, MPI.LONG, MPI.FLOAT, MPI.DOUBLE, MPI.OBJECT);

    static final List<Datatype> PAIRS = List.of(MPI.SHORT2, MPI.INT2, MPI.LONG2, MPI.FLOAT2, MPI.DOUBLE2);

    private Samples() {}

    /** Array elements with full-range values, the same for the same seed. */
    static Object random(Datatype type, int length, long seed) {
        Random random = new Random(seed);
        Object array = empty(type, length);
        for (int i = 0; i < length; i++) {
            Array.set(array, i, value(type, random));
        }
        return array;
    }

    private static Object value(Datatype type, Random random) {
        return switch (type.base()) {
            case BYTE, PACKED -> (byte) random.nextInt();
            case CHAR -> (char) random.nextInt();
            case SHORT -> (short) random.nextInt();
            case BOOLEAN -> random.nextBoolean();
            case INT -> random.nextInt();
            case LONG -> random.nextLong();
            case FLOAT -> random.nextFloat();
            case DOUBLE -> random.nextGaussian();
            case OBJECT -> random.nextInt(5) == 0 ? null : "object " + random.nextLong();
        };
    }

    /** Array elements with small values, of which sums and products over a few ranks are exact. */
    static Object small(Datatype type, int length, long seed) {
        Random random = new Random(seed);
        Object array = empty(type, length);
        for (int i = 0; i < length; i++) {
            int value = random.nextInt(7) - 3;
            Array.set(
                    array,
                    i,
                    switch (type.base()) {
                        case BYTE, PACKED -> (byte) value;
                        case CHAR -> (char) (value + 3);
                        case SHORT -> (short) value;
                        case BOOLEAN -> value > 0;
                        case INT -> value;
                        case LONG -> (long) value;
                        case FLOAT -> (float) value;
                        case DOUBLE -> (double) value;
                        case OBJECT -> Integer.valueOf(value);
                    });
        }
        return array;
    }

    static Object empty(Datatype type, int length) {
        return Array.newInstance(type.base().arrayClass().getComponentType(), length);
    }

    static Object copy(Object array) {
        int length = Array.getLength(array);
        Object copy = Array.newInstance(array.getClass().getComponentType(), length);
        System.arraycopy(array, 0, copy, 0, length);
        return copy;
    }

    static Object slice(Object array, int from, int length) {
        Object part = Array.newInstance(array.getClass().getComponentType(), length);
        System.arraycopy(array, from, part, 0, length);
        return part;
    }

    static boolean same(Object left, Object right) {
        return Arrays.deepEquals(new Object[] {left}, new Object[] {right});
    }

    /** Throws an error that tells the first difference. */
    static void requireSame(String what, Object actual, Object expected) {
        if (same(actual, expected)) {
            return;
        }
        int length = Math.min(Array.getLength(actual), Array.getLength(expected));
        for (int i = 0; i < length; i++) {
            if (!same(Array.get(actual, i), Array.get(expected, i))) {
                throw new AssertionError(what + ": element " + i + " of " + length + " is " + Array.get(actual, i)
                        + ", expected " + Array.get(expected, i));
            }
        }
        throw new AssertionError(
                what + ": length " + Array.getLength(actual) + ", expected " + Array.getLength(expected));
    }
}
