package mpi;

/** Views of the pairs of a float value and an index that {@link MPI#FLOAT_INT} describes. */
public final class FloatInt extends Struct {
    private static final int VALUE = 0;
    private static final int INDEX = 4;
    private static final int EXTENT = 8;

    FloatInt(Datatype type) {
        super(type, EXTENT, INDEX);
    }

    @Override
    protected Data newData() {
        return new Data();
    }

    /** A view of one pair. */
    public final class Data extends Struct.Data {
        private Data() {}

        public float getValue() {
            return getFloat(VALUE);
        }

        public int getIndex() {
            return getInt(INDEX);
        }

        public void putValue(float v) {
            putFloat(VALUE, v);
        }

        public void putIndex(int v) {
            putInt(INDEX, v);
        }
    }
}
