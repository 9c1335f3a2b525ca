package org.posthouse.mpj.data;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.posthouse.mpj.Content;
import org.posthouse.mpj.Envelope;
import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.Sink;

/**
 * Elements of one datatype in an array, from an offset on: what a collective moves about. Positions and counts are in
 * elements of the datatype, of which each is {@code size} adjacent array elements. Whoever makes one has checked the
 * ranges that will be used.
 */
public final class Region {
    /** Answer of {@link #bytes} when only serialization could tell. */
    public static final long BYTES_UNKNOWN = -1;

    private final Base base;
    private final int size;
    private final Object array;
    private final int offset;

    /**
     * @param size array elements of one element of the datatype, 1 or more
     * @param offset index of the first array element
     */
    public Region(Base base, int size, Object array, int offset) {
        this.base = base;
        this.size = size;
        this.array = array;
        this.offset = offset;
    }

    public Object array() {
        return array;
    }

    /** Array index of the element at position {@code at}. */
    public int index(int at) {
        return offset + at * size;
    }

    /** Message bytes of {@code count} elements, or {@link #BYTES_UNKNOWN} for objects. */
    public long bytes(int count) {
        return base == Base.OBJECT ? BYTES_UNKNOWN : (long) count * size * base.bytes();
    }

    public Content content(int at, int count) {
        return base.content(array, index(at), count * size);
    }

    public Sink sink(int at, int capacity) {
        return base.sink(array, index(at), capacity * size);
    }

    /** Fresh room for {@code count} elements, in an array of the same class. */
    public Region scratch(int count) {
        // A program may give no array where it has no elements.
        Class<?> arrayClass = array == null ? base.arrayClass() : array.getClass();
        return new Region(base, size, Array.newInstance(arrayClass.getComponentType(), count * size), 0);
    }

    /** Whether writing to the other region may change this one. */
    @SuppressWarnings("ReferenceEquality") // Arrays are compared by identity.
    public boolean sharesArrayWith(Region other) {
        return array == other.array;
    }

    /**
     * Copies elements to a region of the same datatype. Objects are shared, not copied: for moves between the
     * program's arrays and scratch. The ranges may overlap.
     */
    public void moveTo(int at, Region target, int targetAt, int count) {
        if (count > 0) {
            System.arraycopy(array, index(at), target.array, target.index(targetAt), count * size);
        }
    }

    /**
     * Does to {@code target} exactly what a message of these elements would: same checks, and objects are copies. The
     * ranges may overlap.
     *
     * @param capacity most elements that the target takes
     * @throws ReceiveException if the datatypes differ or the target is too small
     */
    public void deliver(int at, int count, Region target, int targetAt, int capacity) throws ReceiveException {
        int elements = count * size;
        if (sharesArrayWith(target) && index(at) == target.index(targetAt) && elements <= capacity * target.size) {
            return;
        }
        if (base == Base.OBJECT || base != target.base) {
            pass(content(at, count), target.sink(targetAt, capacity));
            return;
        }
        Envelope envelope = new Envelope(0, 0, bytes(count), elements, base.code());
        target.sink(targetAt, capacity).begin(envelope);
        if (elements > 0) {
            System.arraycopy(array, index(at), target.array, target.index(targetAt), elements);
        }
    }

    private static void pass(Content content, Sink sink) throws ReceiveException {
        sink.begin(new Envelope(0, 0, content.bytes(), content.elements(), content.datatype()));
        ByteBuffer bytes = ByteBuffer.allocate((int) content.bytes()).order(ByteOrder.LITTLE_ENDIAN);
        content.write(0, bytes);
        sink.read(0, bytes.flip());
        sink.end();
    }
}
