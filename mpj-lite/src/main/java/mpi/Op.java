package mpi;

import org.posthouse.mpj.coll.Reduction;
import org.posthouse.mpj.data.Fold;
import org.posthouse.mpj.data.Region;

/**
 * A reduction operation: one of the predefined ones of {@link MPI}, or a program's own. Immutable but for
 * {@link #free}.
 */
public class Op implements Freeable {
    private final String name;
    /** Null for a program's own. */
    private final Fold fold;

    /** Null for an operation of windows. */
    private final Maker maker;
    private final boolean commute;

    /** Written by the program's thread that frees it, read by any. */
    private volatile boolean freed;

    /**
     * @param function associative
     * @param commute whether it is commutative too; if not, ranks are combined in their order
     */
    public Op(User_function function, boolean commute) throws MPIException {
        this(nameOf(function, "User_function"), null, datatype -> on(function, datatype), commute);
    }

    /** As {@link #Op(User_function, boolean)}, in Open MPI's form. */
    public Op(UserFunction function, boolean commute) throws MPIException {
        this(nameOf(function, "UserFunction"), null, maker(function), commute);
    }

    Op(String name, Fold fold) {
        this(name, fold, datatype -> on(fold, datatype), true);
    }

    private Op(String name, Fold fold, Maker maker, boolean commute) {
        this.name = name;
        this.fold = fold;
        this.maker = maker;
        this.commute = commute;
    }

    /** An operation that no reduction takes. */
    static Op ofWindows(String name) {
        return new Op(name, null, null, false);
    }

    private static String nameOf(Object function, String expected) {
        if (function == null) {
            throw new MPIException(MPI.ERR_ARG, "Op: the function is null, expected a " + expected);
        }
        return function.getClass().getName();
    }

    /** Whether the order of the operands does not matter. */
    public boolean isCommutative() {
        return commute;
    }

    /** Gives a program's own operation back; reductions that are under way with it are completed. */
    @Override
    public void free() throws MPIException {
        free("free");
    }

    /** As {@link #free}. */
    public void Free() throws MPIException {
        free("Free");
    }

    private void free(String call) {
        if (freed) {
            throw new MPIException(MPI.ERR_OP, call + ": operation " + name + " was freed");
        }
        if (fold != null || maker == null) {
            throw new MPIException(MPI.ERR_OP, call + ": operation " + name + " is predefined, and stays");
        }
        freed = true;
    }

    /** Whether the operation was given back. */
    public boolean isNull() {
        return freed;
    }

    /** Why a reduction of elements of a datatype cannot use it; null if it can. */
    String refuses(Datatype datatype) {
        if (freed) {
            return "operation " + name + " was freed";
        }
        if (maker == null) {
            return "operation " + name + " is one of windows, expected one of reductions";
        }
        return fold == null || fold.accepts(datatype.base(), datatype.unit())
                ? null
                : "operation " + name + " has no meaning for datatype " + datatype;
    }

    Reduction on(Datatype datatype) {
        Combining combining = datatype.size() > 0 ? maker.on(datatype) : (in, inAt, inOut, inOutAt, count) -> {};
        return new Bound(combining, fold != null && !datatype.unit().isStruct());
    }

    @Override
    public String toString() {
        return name;
    }

    private static Combining on(User_function function, Datatype datatype) {
        return (in, inAt, inOut, inOutAt, count) -> datatype
                .lend(() -> function.Call(in.array(), in.index(inAt), inOut.array(), inOut.index(inOutAt), count, datatype));
    }

    private static Maker maker(UserFunction function) {
        boolean inBuffers = function.takesBuffers();
        return datatype -> {
            UserFold fold = new UserFold(function, inBuffers, datatype);
            return (in, inAt, inOut, inOutAt, count) -> datatype.lend(() -> fold.combine(in, inAt, inOut, inOutAt, count));
        };
    }

    private static Combining on(Fold fold, Datatype datatype) {
        return (in, inAt, inOut, inOutAt, count) -> in.fold(inAt, fold, datatype.unit(), inOut, inOutAt, count);
    }

    /** Binds an operation to a datatype. */
    private interface Maker {
        Combining on(Datatype datatype);
    }

    /** {@link Reduction#combine} of at least one element. */
    private interface Combining {
        void combine(Region in, int inAt, Region inOut, int inOutAt, int count);
    }

    /** This operation on elements of one datatype. */
    private final class Bound implements Reduction {
        private final Combining combining;
        private final boolean takesPacked;

        Bound(Combining combining, boolean takesPacked) {
            this.combining = combining;
            this.takesPacked = takesPacked;
        }

        @Override
        public boolean takesPacked() {
            return takesPacked;
        }

        @Override
        public boolean commutes() {
            return commute;
        }

        @Override
        public void combine(Region in, int inAt, Region inOut, int inOutAt, int count) {
            if (count > 0) {
                combining.combine(in, inAt, inOut, inOutAt, count);
            }
        }
    }
}
