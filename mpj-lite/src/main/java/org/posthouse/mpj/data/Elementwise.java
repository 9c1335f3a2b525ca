package org.posthouse.mpj.data;

import java.util.EnumSet;
import java.util.Set;

/** A reduction that treats each array element alike: picks the loop for the array's class. */
abstract class Elementwise extends Fold {
    static final Set<Base> INTEGERS = EnumSet.of(Base.BYTE, Base.CHAR, Base.SHORT, Base.INT, Base.LONG);
    static final Set<Base> NUMBERS =
            EnumSet.of(Base.BYTE, Base.CHAR, Base.SHORT, Base.INT, Base.LONG, Base.FLOAT, Base.DOUBLE);
    static final Set<Base> TRUTHS =
            EnumSet.of(Base.BOOLEAN, Base.BYTE, Base.CHAR, Base.SHORT, Base.INT, Base.LONG);

    private final Set<Base> bases;

    /** @param bases those that it has a loop for */
    Elementwise(Set<Base> bases) {
        this.bases = bases;
    }

    @Override
    public boolean accepts(Base base, Unit unit) {
        return unit == Unit.ONE && bases.contains(base);
    }

    @Override
    public void fold(Unit unit, Object in, int inAt, Object inOut, int inOutAt, int count) {
        int elements = count * unit.elements();
        if (inOut instanceof double[] values) {
            fold((double[]) in, inAt, values, inOutAt, elements);
        } else if (inOut instanceof int[] values) {
            fold((int[]) in, inAt, values, inOutAt, elements);
        } else if (inOut instanceof long[] values) {
            fold((long[]) in, inAt, values, inOutAt, elements);
        } else if (inOut instanceof float[] values) {
            fold((float[]) in, inAt, values, inOutAt, elements);
        } else if (inOut instanceof byte[] values) {
            fold((byte[]) in, inAt, values, inOutAt, elements);
        } else if (inOut instanceof short[] values) {
            fold((short[]) in, inAt, values, inOutAt, elements);
        } else if (inOut instanceof char[] values) {
            fold((char[]) in, inAt, values, inOutAt, elements);
        } else {
            fold((boolean[]) in, inAt, (boolean[]) inOut, inOutAt, elements);
        }
    }

    abstract void fold(byte[] in, int inAt, byte[] inOut, int inOutAt, int count);

    abstract void fold(char[] in, int inAt, char[] inOut, int inOutAt, int count);

    abstract void fold(short[] in, int inAt, short[] inOut, int inOutAt, int count);

    abstract void fold(int[] in, int inAt, int[] inOut, int inOutAt, int count);

    abstract void fold(long[] in, int inAt, long[] inOut, int inOutAt, int count);

    void fold(float[] in, int inAt, float[] inOut, int inOutAt, int count) {
        throw noLoop(Base.FLOAT);
    }

    void fold(double[] in, int inAt, double[] inOut, int inOutAt, int count) {
        throw noLoop(Base.DOUBLE);
    }

    void fold(boolean[] in, int inAt, boolean[] inOut, int inOutAt, int count) {
        throw noLoop(Base.BOOLEAN);
    }

    private AssertionError noLoop(Base base) {
        return new AssertionError(getClass().getSimpleName() + " of " + base + ", expected one of " + bases);
    }
}
