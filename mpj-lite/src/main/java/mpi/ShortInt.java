package mpi;

/** Views of the pairs of a short value and an index that {@link MPI#SHORT_INT} describes. */
public final class ShortInt extends Struct {
    private static final int VALUE = 0;
    private static final int INDEX = 4;
    private static final int EXTENT = 8;

    ShortInt(Datatype type) {
        super(type, EXTENT, INDEX);
    }

    @Override
    protected Data newData() {
        return new Data();
    }

    /** A view of one pair. */
    public final class Data extends Struct.Data {
        private Data() {}

        public short getValue() {
            return getShort(VALUE);
        }

        public int getIndex() {
            return getInt(INDEX);
        }

        public void putValue(short v) {
            putShort(VALUE, v);
        }

        public void putIndex(int v) {
            putInt(INDEX, v);
        }
    }
}
