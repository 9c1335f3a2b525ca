package mpi;

/** Views of the pairs of a float value and an index that {@link MPI#FLOAT_INT} describes. */
public final class FloatInt extends Pair {
    private static final int INDEX = 4;

    FloatInt(Datatype type) {
        super(type, INDEX);
    }

    @Override
    protected Data newData() {
        return new Data();
    }

    /** A view of one pair. */
    public final class Data extends Pair.Data {
        private Data() {}

        public float getValue() {
            return getFloat(VALUE);
        }

        public void putValue(float v) {
            putFloat(VALUE, v);
        }
    }
}
