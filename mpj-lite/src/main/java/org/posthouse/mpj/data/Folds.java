package org.posthouse.mpj.data;

/** MPI's predefined reductions. */
public final class Folds {
    public static final Fold SUM = new Sum();
    public static final Fold PROD = new Product();
    public static final Fold MAX = new Maximum();
    public static final Fold MIN = new Minimum();
    public static final Fold LAND = new Logical(Logical.Kind.AND);
    public static final Fold LOR = new Logical(Logical.Kind.OR);
    public static final Fold LXOR = new Logical(Logical.Kind.XOR);
    public static final Fold BAND = new BitAnd();
    public static final Fold BOR = new BitOr();
    public static final Fold BXOR = new BitXor();
    public static final Fold MAXLOC = new Location(true);
    public static final Fold MINLOC = new Location(false);

    private Folds() {}
}
