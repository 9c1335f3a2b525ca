package mpi;

import org.posthouse.mpj.coll.Reduction;
import org.posthouse.mpj.data.Fold;
import org.posthouse.mpj.data.Region;

/** A reduction operation: one of the predefined ones of {@link MPI}, or a program's own. Immutable. */
public class Op {
    private final String name;
    private final Fold fold;
    private final User_function function;
    private final boolean commute;

    /**
     * @param function associative
     * @param commute whether it is commutative too; if not, ranks are combined in their order
     */
    public Op(User_function function, boolean commute) throws MPIException {
        if (function == null) {
            throw new MPIException(MPI.ERR_ARG, "Op: the function is null, expected a User_function");
        }
        this.name = function.getClass().getName();
        this.fold = null;
        this.function = function;
        this.commute = commute;
    }

    Op(String name, Fold fold) {
        this.name = name;
        this.fold = fold;
        this.function = null;
        this.commute = true;
    }

    boolean accepts(Datatype datatype) {
        return fold == null || fold.accepts(datatype.base(), datatype.unit());
    }

    Reduction on(Datatype datatype) {
        return new Bound(datatype);
    }

    @Override
    public String toString() {
        return name;
    }

    /** This operation on elements of one datatype. */
    private final class Bound implements Reduction {
        private final Datatype datatype;

        Bound(Datatype datatype) {
            this.datatype = datatype;
        }

        @Override
        public boolean commutes() {
            return commute;
        }

        @Override
        public void combine(Region in, int inAt, Region inOut, int inOutAt, int count) {
            if (count == 0) {
                return;
            }
            if (fold == null) {
                function.Call(in.array(), in.index(inAt), inOut.array(), inOut.index(inOutAt), count, datatype);
            } else {
                in.fold(inAt, fold, datatype.unit(), inOut, inOutAt, count);
            }
        }
    }
}
