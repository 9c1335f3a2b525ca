package org.posthouse.mpj.data;

/**
 * The predefined reductions: each folds one array into another, element by element, {@code inOut = in op inOut}. All
 * are associative and commutative up to floating-point rounding. Stateless.
 */
public abstract class Fold {
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

    Fold() {}

    /**
     * Whether this reduction has a meaning for a datatype.
     *
     * @param size array elements of one element of the datatype: 2 for a pair, else 1
     */
    public abstract boolean accepts(Base base, int size);

    /**
     * Folds {@code count} elements (pairs, for MAXLOC and MINLOC). The arrays are of one class and may be the same
     * array if the ranges are disjoint.
     */
    public abstract void fold(Object in, int inAt, Object inOut, int inOutAt, int count);
}
