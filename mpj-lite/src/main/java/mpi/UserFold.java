package mpi;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Region;

/**
 * Calls a {@link UserFunction} on elements anywhere in arrays: they are copied, unless they are a whole array. Bound to
 * one datatype. Immutable.
 */
final class UserFold {
    private final UserFunction function;
    private final boolean inBuffers;
    private final Datatype datatype;
    private final Base base;

    /** @param inBuffers whether the function is to be called with buffers where there can be any */
    UserFold(UserFunction function, boolean inBuffers, Datatype datatype) {
        this.function = function;
        this.datatype = datatype;
        base = datatype.base();
        this.inBuffers = inBuffers && base != Base.BOOLEAN && base != Base.OBJECT;
    }

    /** {@code inOut = in op inOut}, with no change to {@code in}. */
    void combine(Region in, int inAt, Region inOut, int inOutAt, int count) {
        Part left = new Part(in, inAt, count);
        Part right = new Part(inOut, inOutAt, count);
        if (inBuffers) {
            ByteBuffer result = right.buffer();
            function.call(left.buffer(), result, count, datatype);
            base.take(right.array, right.from, right.length, result.clear());
        } else {
            Object result = right.whole();
            function.call(left.whole(), result, count, datatype);
            right.put(result);
        }
    }

    /** The extents of some elements: part of an array. */
    private final class Part {
        final Object array;
        final int from;
        /** Elements of the extents. */
        final int extents;
        /** Those of them that are there: the gap behind the last element's data may be beyond the array. */
        final int length;

        Part(Region region, int at, int count) {
            array = region.array();
            from = region.index(at);
            extents = count * datatype.layout().extent();
            length = Math.min(extents, base.length(array) - from);
        }

        private boolean isWhole() {
            return from == 0 && extents == base.length(array);
        }

        /** An array of these elements alone. */
        Object whole() {
            if (isWhole()) {
                return array;
            }
            Object copy = Array.newInstance(array.getClass().getComponentType(), extents);
            System.arraycopy(array, from, copy, 0, length);
            return copy;
        }

        /** Puts back what {@link #whole} returned. */
        void put(Object whole) {
            if (!isWhole()) {
                System.arraycopy(whole, 0, array, from, length);
            }
        }

        ByteBuffer buffer() {
            ByteBuffer copy = ByteBuffer.allocateDirect(extents * base.bytes()).order(ByteOrder.nativeOrder());
            base.put(array, from, length, copy);
            return copy.clear();
        }
    }
}
