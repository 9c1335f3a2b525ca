package mpi;

/** Views of the pairs of a long value and an index that {@link MPI#LONG_INT} describes. */
public final class LongInt extends Struct {
    private static final int VALUE = 0;
    private static final int INDEX = 8;
    private static final int EXTENT = 16;

    LongInt(Datatype type) {
        super(type, EXTENT, INDEX);
    }

    @Override
    protected Data newData() {
        return new Data();
    }

    /** A view of one pair. */
    public final class Data extends Struct.Data {
        private Data() {}

        public long getValue() {
            return getLong(VALUE);
        }

        public int getIndex() {
            return getInt(INDEX);
        }

        public void putValue(long v) {
            putLong(VALUE, v);
        }

        public void putIndex(int v) {
            putInt(INDEX, v);
        }
    }
}
