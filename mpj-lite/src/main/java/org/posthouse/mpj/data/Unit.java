package org.posthouse.mpj.data;

/** What the base elements of a datatype are to the predefined reductions, which never take one apart. */
public enum Unit {
    /** A value. */
    ONE(Layout.ONE),
    /** A value and its index, two adjacent elements of one base type. */
    PAIR(Layout.dense(2)),
    /** A real and an imaginary part. */
    COMPLEX(Layout.dense(2)),
    /** In bytes, as C lays it out: a short value, a gap, and an int index. */
    SHORT_INT(inC(Short.BYTES)),
    /** In bytes: a long value, an int index, and a gap. */
    LONG_INT(inC(Long.BYTES)),
    /** In bytes: a float value, and an int index. */
    FLOAT_INT(inC(Float.BYTES)),
    /** In bytes: a double value, an int index, and a gap. */
    DOUBLE_INT(inC(Double.BYTES)),
    /** Of no meaning to any predefined reduction. */
    NONE(Layout.ONE);

    private final Layout layout;

    Unit(Layout layout) {
        this.layout = layout;
    }

    /** A value and an int behind it, each at a multiple of its own bytes, and so the next value. */
    private static Layout inC(int valueBytes) {
        int indexAt = Math.max(valueBytes, Integer.BYTES);
        return new LayoutBuilder()
                .add(0, valueBytes, Layout.ONE)
                .add(indexAt, Integer.BYTES, Layout.ONE)
                .build()
                .padded(indexAt);
    }

    /** Where the base elements of one unit lie. */
    public Layout layout() {
        return layout;
    }

    /** Base elements of one unit. */
    public int elements() {
        return layout.size();
    }

    /** Whether one unit consists of bytes that C's alignment rules place: always as a whole element of a datatype. */
    public boolean isStruct() {
        return switch (this) {
            case SHORT_INT, LONG_INT, FLOAT_INT, DOUBLE_INT -> true;
            case ONE, PAIR, COMPLEX, NONE -> false;
        };
    }

    /** The unit of a datatype that is made of such ones in any layout. */
    public Unit whenDerived() {
        return isStruct() ? NONE : this;
    }
}
