package org.posthouse.mpj.data;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import org.posthouse.mpj.operation.Envelope;

/**
 * The kinds of array element that a message can carry. Each one's code and little-endian form are part of the wire
 * format (docs/collectives.md, "Datatypes on the wire"). A code is never reused.
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
    OBJECT(9, 0, Object[].class, null, null),
    /** Bytes that Pack made: they fit a receive of any primitive datatype, and any of these fits a receive of them. */
    PACKED(10, Byte.BYTES, byte[].class, Primitives::putBytes, Primitives::takeBytes);

    /** Code of a message without data: the sender's part of the operation failed, so the receive fails too. */
    public static final int SPOILED = 0;

    /** Code of a broadcast's announcement, which fits no other receive. */
    public static final int ANNOUNCED = 11;

    private static final Base[] ALL = values();

    private final int code;
    private final int bytes;
    private final Class<?> arrayClass;
    /** Moves array elements; null for OBJECT, whose bytes come from serialization. */
    private final Primitives.Put put;

    private final Primitives.Take take;

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

    /** Whether elements can lie in this array or NIO buffer. */
    public boolean holds(Object store) {
        return arrayClass.isInstance(store) || Buffers.hold(this, store) || store instanceof BufferMemory && this != OBJECT;
    }

    /** Elements that an array or buffer has room for, if it {@link #holds} them. */
    public int length(Object store) {
        if (store instanceof BufferMemory memory) {
            return memory.length(this);
        }
        return store instanceof Buffer buffer ? Buffers.length(this, buffer) : arrayLength(store);
    }

    private int arrayLength(Object array) {
        return switch (this) {
            case BYTE, PACKED -> ((byte[]) array).length;
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

    /** Moves {@code count} primitive elements of an array or buffer to {@code out}, in its order, and advances it. */
    public void put(Object store, int from, int count, ByteBuffer out) {
        if (store instanceof Buffer buffer) {
            Buffers.put(this, buffer, from, count, out);
        } else if (store instanceof BufferMemory memory) {
            memory.put(this, from, count, out);
        } else {
            put.put(store, from, count, out);
        }
    }

    /** Moves {@code count} primitive elements from {@code in}, which is advanced, to an array or buffer. */
    public void take(Object store, int to, int count, ByteBuffer in) {
        if (store instanceof Buffer buffer) {
            Buffers.take(this, buffer, to, count, in);
        } else if (store instanceof BufferMemory memory) {
            memory.take(this, to, count, in);
        } else {
            take.take(store, to, count, in);
        }
    }

    /** Whether a message of the datatype with this wire code may be received as this one. */
    boolean fits(int datatype) {
        return datatype == code
                || this == PACKED && datatype != OBJECT.code && datatype != SPOILED && datatype != ANNOUNCED
                || datatype == PACKED.code && this != OBJECT;
    }

    /** Elements of this kind in a message that {@link #fits}, rounded down. */
    public long elements(Envelope envelope) {
        return this == OBJECT ? envelope.elements() : envelope.bytes() / bytes;
    }

    /**
     * The kind with this wire code.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Base of(int code) {
        if (code < 1 || code > ALL.length) {
            throw new IllegalArgumentException("datatype " + code + ", expected 1 to " + ALL.length);
        }
        return ALL[code - 1];
    }

    /** Name of the datatype with this wire code, for messages to people. */
    public static String nameOf(int code) {
        if (code == SPOILED) {
            return "SPOILED (the sender's own part in this call failed)";
        }
        if (code == ANNOUNCED) {
            return "ANNOUNCED (of a broadcast)";
        }
        return code >= 1 && code <= ALL.length ? ALL[code - 1].name() : "datatype " + code;
    }
}
