package org.posthouse.mpj.coll;

import org.posthouse.mpj.data.Region;

/** An associative operation on elements, bound to their datatype. */
public interface Reduction {
    /** Whether the operands may be exchanged. If not, they are combined in rank order. */
    boolean commutes();

    /** Whether the operation only needs the data of the elements, adjacent and in arrays. */
    default boolean takesPacked() {
        return false;
    }

    /**
     * The elements in the form that this operation takes: a copy without the gaps of their datatype, or the elements
     * themselves.
     */
    default Region compact(Region region, int count) {
        return takesPacked() && region.hasGaps() ? region.compact(count) : region;
    }

    /**
     * {@code inOut = in op inOut} for {@code count} elements from the given positions on. {@code in} holds the lower
     * ranks' values, and is not changed.
     */
    void combine(Region in, int inAt, Region inOut, int inOutAt, int count);
}
