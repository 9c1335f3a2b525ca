package org.posthouse.mpj.data;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * MAXLOC and MINLOC of structs of a value and an int index, in bytes with C's layout and native order. Of equal values
 * the lower index wins. Stateless.
 */
final class StructLocation {
    private static final VarHandle SHORTS = view(short[].class);
    private static final VarHandle INTS = view(int[].class);
    private static final VarHandle LONGS = view(long[].class);
    private static final VarHandle FLOATS = view(float[].class);
    private static final VarHandle DOUBLES = view(double[].class);

    private StructLocation() {}

    private static VarHandle view(Class<?> of) {
        return MethodHandles.byteArrayViewVarHandle(of, ByteOrder.nativeOrder());
    }

    /** @param greatest whether greater values win, instead of lesser ones */
    static void fold(Unit unit, boolean greatest, byte[] in, int inAt, byte[] inOut, int inOutAt, int count) {
        int extent = unit.layout().extent();
        int indexAt = extent / 2;
        for (int i = 0; i < count; i++) {
            int from = inAt + i * extent;
            int to = inOutAt + i * extent;
            int order = compare(unit, in, from, inOut, to);
            boolean lowerIndex = (int) INTS.get(in, from + indexAt) < (int) INTS.get(inOut, to + indexAt);
            if (order == 0 ? lowerIndex : order > 0 == greatest) {
                // The gap behind the index is not copied: the last struct of an array may lack it.
                System.arraycopy(in, from, inOut, to, indexAt + Integer.BYTES);
            }
        }
    }

    private static int compare(Unit unit, byte[] in, int from, byte[] inOut, int to) {
        return switch (unit) {
            case SHORT_INT -> Short.compare((short) SHORTS.get(in, from), (short) SHORTS.get(inOut, to));
            case LONG_INT -> Long.compare((long) LONGS.get(in, from), (long) LONGS.get(inOut, to));
            case FLOAT_INT -> Location.compare((float) FLOATS.get(in, from), (float) FLOATS.get(inOut, to));
            case DOUBLE_INT -> Location.compare((double) DOUBLES.get(in, from), (double) DOUBLES.get(inOut, to));
            case ONE, PAIR, COMPLEX, NONE -> throw new AssertionError(unit + " is no struct");
        };
    }
}
