package mpi;

/** Views of the pairs of an int value and an index that {@link MPI#INT2} describes. */
public final class Int2 extends Pair {
    private static final int INDEX = 4;

    Int2(Datatype type) {
        super(type, INDEX);
    }

    @Override
    protected Data newData() {
        return new Data();
    }

    /** A view of one pair. */
    public final class Data extends Pair.Data {
        private Data() {}

        public int getValue() {
            return getInt(VALUE);
        }

        public void putValue(int v) {
            putInt(VALUE, v);
        }
    }
}
