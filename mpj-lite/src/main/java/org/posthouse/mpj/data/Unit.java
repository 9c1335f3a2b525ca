package org.posthouse.mpj.data;

/** The meaning of a datatype's base elements to the predefined reductions, which never split a unit. */
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
    /** Meaningless to every predefined reduction. */
    NONE(Layout.ONE);

    private final Layout layout;

    Unit(Layout layout) {
        this.layout = layout;
    }

    /** A value followed by an int, each aligned to its own size, as is the next value. */
    private static Layout inC(int valueBytes) {
        int indexAt = Math.max(valueBytes, Integer.BYTES);
        return new LayoutBuilder()
                .add(0, valueBytes, Layout.ONE)
                .add(indexAt, Integer.BYTES, Layout.ONE)
                .build()
                .padded(indexAt);
    }

    /** The layout of one unit's base elements. */
    public Layout layout() {
        return layout;
    }

    /** Base elements of one unit. */
    public int elements() {
        return layout.size();
    }

    /**
     * Whether one unit consists of bytes placed by C's alignment rules. Such a unit is always a whole element of a
     * datatype.
     */
    public boolean isStruct() {
        return switch (this) {
            case SHORT_INT, LONG_INT, FLOAT_INT, DOUBLE_INT -> true;
            case ONE, PAIR, COMPLEX, NONE -> false;
        };
    }

    /** The unit of a datatype made of such units in any layout. */
    public Unit whenDerived() {
        return isStruct() ? NONE : this;
    }
}
