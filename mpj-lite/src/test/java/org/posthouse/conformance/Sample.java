package org.posthouse.conformance;

import java.lang.reflect.Array;
import java.util.List;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import mpi.Datatype;
import mpi.MPI;

/**
 * A basic datatype, and arrays for it with values that tell where they come from.
 *
 * @param component class of the array's elements
 */
record Sample(Datatype type, Class<?> component) {
    static final List<Sample> NUMBERS = List.of(
            new Sample(MPI.BYTE, byte.class),
            new Sample(MPI.SHORT, short.class),
            new Sample(MPI.INT, int.class),
            new Sample(MPI.LONG, long.class),
            new Sample(MPI.FLOAT, float.class),
            new Sample(MPI.DOUBLE, double.class));

    static final List<Sample> INTEGERS = NUMBERS.subList(0, 4);

    static final Sample CHARS = new Sample(MPI.CHAR, char.class);

    static final Sample BOOLEANS = new Sample(MPI.BOOLEAN, boolean.class);

    static final Sample OBJECTS = new Sample(MPI.OBJECT, Object.class);

    /** An array of {@code length} elements made of whole numbers; of booleans, whether they are odd. */
    Object array(int length, IntToLongFunction values) {
        Object array = Array.newInstance(component, length);
        for (int i = 0; i < length; i++) {
            Array.set(array, i, element(values.applyAsLong(i)));
        }
        return array;
    }

    private Object element(long value) {
        return switch (component.getName()) {
            case "byte" -> (byte) value;
            case "short" -> (short) value;
            case "char" -> (char) value;
            case "int" -> (int) value;
            case "long" -> value;
            case "float" -> (float) value;
            case "double" -> (double) value;
            case "boolean" -> value % 2 != 0;
            default -> "text " + value;
        };
    }

    /** Empty room. */
    Object room(int length) {
        return Array.newInstance(component, length);
    }

    /** The basic datatypes. */
    static List<Sample> all() {
        return IntStream.range(0, 9)
                .mapToObj(i -> i < 6 ? NUMBERS.get(i) : List.of(CHARS, BOOLEANS, OBJECTS).get(i - 6))
                .toList();
    }
}
