package org.posthouse.mpj.data;

/**
 * A predefined reduction ({@link Folds}): folds one array into another, unit by unit, {@code inOut = in op inOut}. It
 * is associative and commutative up to floating-point rounding. Stateless.
 */
public abstract class Fold {
    Fold() {}

    /** Whether this reduction has a meaning for a datatype. */
    public abstract boolean accepts(Base base, Unit unit);

    /**
     * Folds {@code count} units that lie one behind the other. The arrays are of one class and may be the same array if
     * the ranges are disjoint.
     *
     * @param unit one that it {@link #accepts}
     */
    public abstract void fold(Unit unit, Object in, int inAt, Object inOut, int inOutAt, int count);
}
