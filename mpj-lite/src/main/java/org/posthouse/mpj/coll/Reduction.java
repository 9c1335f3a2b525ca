package org.posthouse.mpj.coll;

import org.posthouse.mpj.data.Region;

/** An associative operation on elements, bound to their datatype. */
public interface Reduction {
    /** Whether the operands may change places. If not, they are combined in rank order. */
    boolean commutes();

    /** Whether it needs nothing of the elements but their data, one behind the other, and in arrays. */
    default boolean takesPacked() {
        return false;
    }

    /** Elements as this operation is to take them: a copy without the gaps of their datatype, or else themselves. */
    default Region compact(Region region, int count) {
        return takesPacked() && region.hasGaps() ? region.compact(count) : region;
    }

    /**
     * {@code inOut = in op inOut} for {@code count} elements from the given positions on. {@code in} holds the lower
     * ranks' values, and is not changed.
     */
    void combine(Region in, int inAt, Region inOut, int inOutAt, int count);
}
