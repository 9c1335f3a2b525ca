package mpi;

/** Views of the pairs of a short value and an index that {@link MPI#SHORT_INT} describes. */
public final class ShortInt extends Pair {
    private static final int INDEX = 4;

    ShortInt(Datatype type) {
        super(type, INDEX);
    }

    @Override
    protected Data newData() {
        return new Data();
    }

    /** A view of one pair. */
    public final class Data extends Pair.Data {
        private Data() {}

        public short getValue() {
            return getShort(VALUE);
        }

        public void putValue(short v) {
            putShort(VALUE, v);
        }
    }
}
