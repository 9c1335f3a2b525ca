package mpi;

/** Views of the pairs of a long value and an index that {@link MPI#LONG_INT} describes. */
public final class LongInt extends Pair {
    private static final int INDEX = 8;

    LongInt(Datatype type) {
        super(type, INDEX);
    }

    @Override
    protected Data newData() {
        return new Data();
    }

    /** A view of one pair. */
    public final class Data extends Pair.Data {
        private Data() {}

        public long getValue() {
            return getLong(VALUE);
        }

        public void putValue(long v) {
            putLong(VALUE, v);
        }
    }
}
