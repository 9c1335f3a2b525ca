package org.posthouse.mpj.data;

/**
 * A predefined reduction ({@link Folds}): folds one array into another, element by element, {@code inOut = in op inOut}.
 * It is associative and commutative up to floating-point rounding. Stateless.
 */
public abstract class Fold {
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
