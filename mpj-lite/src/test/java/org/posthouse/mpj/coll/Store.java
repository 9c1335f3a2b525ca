package org.posthouse.mpj.coll;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.Random;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.LayoutBuilder;
import org.posthouse.mpj.data.Region;

/**
 * Int (or text) data elements, laid out in one of many ways: in arrays and buffers, with gaps, in elements of several
 * sizes. What lies between the data is known, and must stay.
 */
final class Store {
    private static final int GUARD = -77;

    /** How data lie. Each gives {@code elements(n)} elements for n data elements, n a multiple of UNIT. */
    enum Kind {
        DENSE,
        CONTIGUOUS,
        VECTOR,
        WHOLE,
        BACKWARDS,
        SPREAD,
        INT_BUFFER,
        DIRECT_BYTES,
        TEXT,
        TEXT_PAIRS;

        static final int UNIT = 12;

        boolean isText() {
            return this == TEXT || this == TEXT_PAIRS;
        }

        static Kind draw(Random random) {
            return values()[random.nextInt(values().length - 2)];
        }

        private Layout layout(int data) {
            LayoutBuilder builder = new LayoutBuilder();
            return switch (this) {
                case DENSE, INT_BUFFER, DIRECT_BYTES, TEXT -> Layout.ONE;
                case CONTIGUOUS, TEXT_PAIRS -> Layout.dense(4);
                // Blocks of 1 and 2, one of them in front of displacement 0, and an extent beyond the last.
                case VECTOR -> builder.add(2, 1, Layout.ONE).add(-1, 2, Layout.ONE).build().resized(-1, 6);
                case WHOLE -> {
                    for (int i = 0; i < data; i++) {
                        builder.add(i + i / 5, 1, Layout.ONE);
                    }
                    yield builder.build();
                }
                // Each element lies in front of the one before it.
                case BACKWARDS -> Layout.dense(2).resized(0, -3);
                case SPREAD -> Layout.dense(6).resized(-2, 11);
            };
        }
    }

    private final Kind kind;
    private final int data;
    private final Layout layout;
    private final Object holder;
    private final int offset;
    private final int length;

    /**
     * Room for {@code data} elements.
     *
     * @param whole data elements of one element of WHOLE; {@code data} is a multiple
     */
    Store(Kind kind, int data, int whole) {
        this.kind = kind;
        this.data = data;
        layout = kind.layout(Math.max(1, whole));
        offset = (int) Math.max(0, -layout.first(count())) + 3;
        length = offset + (int) Math.max(0, layout.end(count())) + 2;
        holder = switch (kind) {
            case INT_BUFFER -> IntBuffer.allocate(length);
            case DIRECT_BYTES -> ByteBuffer.allocateDirect(4 * length).order(ByteOrder.nativeOrder());
            case TEXT, TEXT_PAIRS -> new String[length];
            default -> new int[length];
        };
        for (int i = 0; i < length; i++) {
            set(i, GUARD);
        }
    }

    static Store of(Kind kind, int whole, int... values) {
        Store store = new Store(kind, values.length, whole);
        store.fill(0, values);
        return store;
    }

    /** Writes data elements from number {@code at} on. */
    void fill(int at, int... values) {
        for (int i = 0; i < values.length; i++) {
            set(index(at + i), values[i]);
        }
    }

    Region region() {
        return new Region(kind.isText() ? Base.OBJECT : Base.INT, layout, holder, offset);
    }

    /** Elements of the datatype for so many data elements. */
    int elements(int dataElements) {
        return dataElements / layout.size();
    }

    int count() {
        return elements(data);
    }

    int[] read() {
        int[] values = new int[data];
        Arrays.setAll(values, i -> get(index(i)));
        return values;
    }

    /** Fails if anything but the data elements was written. */
    void requireGaps(String where) {
        boolean[] used = new boolean[length];
        for (int i = 0; i < data; i++) {
            used[index(i)] = true;
        }
        for (int i = 0; i < length; i++) {
            if (!used[i] && get(i) != GUARD) {
                throw new AssertionError(where + ": index " + i + " of a " + kind + " lies in a gap, and is " + get(i));
            }
        }
    }

    void requireData(String where, int... expected) {
        int[] actual = read();
        int differs = Arrays.mismatch(actual, expected);
        if (differs >= 0) {
            throw new AssertionError(where + ": data element " + differs + " in a " + kind + " is "
                    + (differs < actual.length ? actual[differs] : "beyond " + actual.length) + ", expected "
                    + (differs < expected.length ? expected[differs] : "only " + expected.length));
        }
        requireGaps(where);
    }

    /** Index of a data element, from the definition of each kind alone. */
    private int index(int at) {
        int first = offset;
        return first + switch (kind) {
            case DENSE, INT_BUFFER, DIRECT_BYTES, TEXT, CONTIGUOUS, TEXT_PAIRS -> at;
            case VECTOR -> at / 3 * 6 + new int[] {2, -1, 0}[at % 3];
            case WHOLE -> at / layout.size() * layout.extent() + at % layout.size() + at % layout.size() / 5;
            case BACKWARDS -> at / 2 * -3 + at % 2;
            case SPREAD -> at / 6 * 11 + at % 6;
        };
    }

    private void set(int index, int value) {
        if (holder instanceof int[] ints) {
            ints[index] = value;
        } else if (holder instanceof IntBuffer ints) {
            ints.put(index, value);
        } else if (holder instanceof ByteBuffer bytes) {
            bytes.putInt(4 * index, value);
        } else {
            ((String[]) holder)[index] = Integer.toString(value);
        }
    }

    private int get(int index) {
        if (holder instanceof int[] ints) {
            return ints[index];
        } else if (holder instanceof IntBuffer ints) {
            return ints.get(index);
        } else if (holder instanceof ByteBuffer bytes) {
            return bytes.getInt(4 * index);
        }
        return Integer.parseInt(((String[]) holder)[index]);
    }

    @Override
    public String toString() {
        return count() + " elements of a " + kind + " with " + data + " data elements";
    }
}
