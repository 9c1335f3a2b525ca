package mpi;

/** Views of the pairs of an int value and an index that {@link MPI#INT2} describes. */
public final class Int2 extends Struct {
    private static final int VALUE = 0;
    private static final int INDEX = 4;
    private static final int EXTENT = 8;

    Int2(Datatype type) {
        super(type, EXTENT, INDEX);
    }

    @Override
    protected Data newData() {
        return new Data();
    }

    /** A view of one pair. */
    public final class Data extends Struct.Data {
        private Data() {}

        public int getValue() {
            return getInt(VALUE);
        }

        public int getIndex() {
            return getInt(INDEX);
        }

        public void putValue(int v) {
            putInt(VALUE, v);
        }

        public void putIndex(int v) {
            putInt(INDEX, v);
        }
    }
}
