package mpi;

/** Views of the pairs of a double value and an index that {@link MPI#DOUBLE_INT} describes. */
public final class DoubleInt extends Struct {
    private static final int VALUE = 0;
    private static final int INDEX = 8;
    private static final int EXTENT = 16;

    DoubleInt(Datatype type) {
        super(type, EXTENT, INDEX);
    }

    @Override
    protected Data newData() {
        return new Data();
    }

    /** A view of one pair. */
    public final class Data extends Struct.Data {
        private Data() {}

        public double getValue() {
            return getDouble(VALUE);
        }

        public int getIndex() {
            return getInt(INDEX);
        }

        public void putValue(double v) {
            putDouble(VALUE, v);
        }

        public void putIndex(int v) {
            putInt(INDEX, v);
        }
    }
}
