package org.posthouse.mpj.data;

/** A reduction of bit patterns: picks the loop for the array's class. */
abstract class Bitwise extends Fold {
    @Override
    public final boolean accepts(Base base, int size) {
        return size == 1
                && switch (base) {
                    case BYTE, CHAR, SHORT, INT, LONG -> true;
                    case BOOLEAN, FLOAT, DOUBLE, OBJECT, PACKED -> false;
                };
    }

    @Override
    public final void fold(Object in, int inAt, Object inOut, int inOutAt, int count) {
        if (inOut instanceof int[] values) {
            fold((int[]) in, inAt, values, inOutAt, count);
        } else if (inOut instanceof long[] values) {
            fold((long[]) in, inAt, values, inOutAt, count);
        } else if (inOut instanceof short[] values) {
            fold((short[]) in, inAt, values, inOutAt, count);
        } else if (inOut instanceof char[] values) {
            fold((char[]) in, inAt, values, inOutAt, count);
        } else {
            fold((byte[]) in, inAt, (byte[]) inOut, inOutAt, count);
        }
    }

    abstract void fold(byte[] in, int inAt, byte[] inOut, int inOutAt, int count);

    abstract void fold(char[] in, int inAt, char[] inOut, int inOutAt, int count);

    abstract void fold(short[] in, int inAt, short[] inOut, int inOutAt, int count);

    abstract void fold(int[] in, int inAt, int[] inOut, int inOutAt, int count);

    abstract void fold(long[] in, int inAt, long[] inOut, int inOutAt, int count);
}
