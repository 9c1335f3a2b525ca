package mpi;

/** Views of the pairs of a double value and an index that {@link MPI#DOUBLE_INT} describes. */
public final class DoubleInt extends Pair {
    private static final int INDEX = 8;

    DoubleInt(Datatype type) {
        super(type, INDEX);
    }

    @Override
    protected Data newData() {
        return new Data();
    }

    /** A view of one pair. */
    public final class Data extends Pair.Data {
        private Data() {}

        public double getValue() {
            return getDouble(VALUE);
        }

        public void putValue(double v) {
            putDouble(VALUE, v);
        }
    }
}
