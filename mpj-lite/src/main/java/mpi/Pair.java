package mpi;

/** The layout of the predefined pairs: the value is first, and the index begins the second half. */
abstract class Pair extends Struct {
    /** The value's offset in bytes. */
    static final int VALUE = 0;

    private final int index;

    /** @param index bytes from the value to the index, and half of the extent */
    Pair(Datatype type, int index) {
        super(type, 2 * index, index);
        this.index = index;
    }

    /** A view of one pair, without its value. Not public: a program sees the methods in the subclass. */
    abstract class Data extends Struct.Data {
        Data() {}

        public int getIndex() {
            return getInt(index);
        }

        public void putIndex(int v) {
            putInt(index, v);
        }
    }
}
