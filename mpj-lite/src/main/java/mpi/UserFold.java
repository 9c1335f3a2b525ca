package mpi;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
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
            right.putBytes(result);
        } else if (datatype.isOpenMpiStruct() && base != Base.OBJECT) {
            byte[] result = right.bytes();
            function.call(left.bytes(), result, count, datatype);
            right.putBytes(ByteBuffer.wrap(result).order(ByteOrder.nativeOrder()));
        } else {
            Object result = right.whole();
            function.call(left.whole(), result, count, datatype);
            right.put(result);
        }
    }

    /** The span of some elements, from their first displacement that is 0 or below: part of an array. */
    private final class Part {
        final Object array;
        /** Base elements of the span. */
        final int length;
        /** Range of them that is in the array: the gap beside the outermost data may be beyond it. */
        final int from;

        final int to;
        /** Index in the array of the span's start; may be negative. */
        final int index;

        Part(Region region, int at, int count) {
            array = region.array();
            Layout layout = datatype.layout();
            long lowest = Math.min(0, layout.first(count));
            long end = Math.max(layout.end(count), (long) count * layout.extent());
            length = Math.toIntExact(end - lowest);
            index = Math.toIntExact(region.index(at) + lowest);
            from = Math.max(0, -index);
            to = Math.max(from, Math.min(length, base.length(array) - index));
        }

        private boolean isWhole() {
            return index == 0 && length == base.length(array);
        }

        /** An array of these elements alone. */
        Object whole() {
            if (isWhole()) {
                return array;
            }
            Object copy = Array.newInstance(array.getClass().getComponentType(), length);
            System.arraycopy(array, index + from, copy, from, to - from);
            return copy;
        }

        /** Puts back what {@link #whole} returned. */
        void put(Object whole) {
            if (!isWhole()) {
                System.arraycopy(whole, from, array, index + from, to - from);
            }
        }

        ByteBuffer buffer() {
            return copied(ByteBuffer.allocateDirect(length * base.bytes()));
        }

        byte[] bytes() {
            return copied(ByteBuffer.allocate(length * base.bytes())).array();
        }

        private ByteBuffer copied(ByteBuffer copy) {
            base.put(array, index + from, to - from, copy.order(ByteOrder.nativeOrder()).position(from * base.bytes()));
            return copy.clear();
        }

        /** Puts back what {@link #buffer} or {@link #bytes} returned. */
        void putBytes(ByteBuffer copy) {
            base.take(array, index + from, to - from, copy.clear().position(from * base.bytes()));
        }
    }
}
