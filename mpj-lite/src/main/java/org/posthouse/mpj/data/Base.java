package org.posthouse.mpj.data;

import org.posthouse.mpj.Content;
import org.posthouse.mpj.Sink;

/**
 * The kinds of array element that a message can carry. The code and the little-endian form of each are part of the
 * wire format (docs/collectives.md, "Datatypes on the wire"); a code is never reused.
 */
@SuppressWarnings("ImmutableEnumChecker") // The functions have no state.
public enum Base {
    BYTE(1, Byte.BYTES, byte[].class, Primitives::putBytes, Primitives::takeBytes),
    CHAR(2, Character.BYTES, char[].class, Primitives::putChars, Primitives::takeChars),
    SHORT(3, Short.BYTES, short[].class, Primitives::putShorts, Primitives::takeShorts),
    BOOLEAN(4, 1, boolean[].class, Primitives::putBooleans, Primitives::takeBooleans),
    INT(5, Integer.BYTES, int[].class, Primitives::putInts, Primitives::takeInts),
    LONG(6, Long.BYTES, long[].class, Primitives::putLongs, Primitives::takeLongs),
    FLOAT(7, Float.BYTES, float[].class, Primitives::putFloats, Primitives::takeFloats),
    DOUBLE(8, Double.BYTES, double[].class, Primitives::putDoubles, Primitives::takeDoubles),
    OBJECT(9, 0, Object[].class, null, null);

    private static final Base[] ALL = values();

    private final int code;
    private final int bytes;
    private final Class<?> arrayClass;
    /** How elements move; null for OBJECT, whose bytes are made by serialization. */
    final Primitives.Put put;

    final Primitives.Take take;

    Base(int code, int bytes, Class<?> arrayClass, Primitives.Put put, Primitives.Take take) {
        this.code = code;
        this.bytes = bytes;
        this.arrayClass = arrayClass;
        this.put = put;
        this.take = take;
    }

    /** Wire code. */
    public int code() {
        return code;
    }

    /** Bytes of one element on the wire; 0 for OBJECT, whose elements differ. */
    public int bytes() {
        return bytes;
    }

    /** Class of the arrays that hold such elements; for OBJECT any array of references. */
    public Class<?> arrayClass() {
        return arrayClass;
    }

    public boolean holds(Object array) {
        return arrayClass.isInstance(array);
    }

    /** Length of an array that {@link #holds} accepts. */
    public int length(Object array) {
        return switch (this) {
            case BYTE -> ((byte[]) array).length;
            case CHAR -> ((char[]) array).length;
            case SHORT -> ((short[]) array).length;
            case BOOLEAN -> ((boolean[]) array).length;
            case INT -> ((int[]) array).length;
            case LONG -> ((long[]) array).length;
            case FLOAT -> ((float[]) array).length;
            case DOUBLE -> ((double[]) array).length;
            case OBJECT -> ((Object[]) array).length;
        };
    }

    /**
     * The elements [{@code first}, {@code first} + {@code count}) as an outgoing message. Primitive elements are read
     * when they are put on the wire, objects are serialized here and now.
     *
     * @throws UnwritableException if an object cannot be serialized
     */
    public Content content(Object array, int first, int count) {
        return this == OBJECT
                ? new ObjectContent((Object[]) array, first, count)
                : new ArrayContent(this, array, first, count);
    }

    /** Takes a message of at most {@code capacity} elements to the array, from index {@code first} on. */
    public Sink sink(Object array, int first, int capacity) {
        return this == OBJECT
                ? new ObjectSink((Object[]) array, first, capacity)
                : new ArraySink(this, array, first, capacity);
    }

    /** Name of the datatype with this wire code, for messages to people. */
    static String nameOf(int code) {
        return code >= 1 && code <= ALL.length ? ALL[code - 1].name() : "datatype " + code;
    }
}
