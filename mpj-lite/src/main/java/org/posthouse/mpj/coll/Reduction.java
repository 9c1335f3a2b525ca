package org.posthouse.mpj.coll;

import org.posthouse.mpj.data.Region;

/** An associative operation on elements, bound to their datatype. */
public interface Reduction {
    /** Whether the operands may change places. If not, they are combined in rank order. */
    boolean commutes();

    /**
     * {@code inOut = in op inOut} for {@code count} elements from the given positions on. {@code in} holds the lower
     * ranks' values, and is not changed.
     */
    void combine(Region in, int inAt, Region inOut, int inOutAt, int count);
}
