package org.posthouse.mpj.data;

/**
 * The greatest or least value and its location: elements are pairs (value, index). Of equal values the lower index
 * wins, so that the result does not depend on the order of the reduction.
 */
final class Location extends Fold {
    private final boolean greatest;

    Location(boolean greatest) {
        this.greatest = greatest;
    }

    @Override
    public boolean accepts(Base base, Unit unit) {
        return unit == Unit.PAIR || unit.isStruct();
    }

    @Override
    public void fold(Unit unit, Object in, int inAt, Object inOut, int inOutAt, int count) {
        int end = inOutAt + 2 * count;
        if (unit.isStruct()) {
            StructLocation.fold(unit, greatest, (byte[]) in, inAt, (byte[]) inOut, inOutAt, count);
        } else if (inOut instanceof double[] values) {
            fold((double[]) in, inAt, values, inOutAt, end);
        } else if (inOut instanceof int[] values) {
            fold((int[]) in, inAt, values, inOutAt, end);
        } else if (inOut instanceof long[] values) {
            fold((long[]) in, inAt, values, inOutAt, end);
        } else if (inOut instanceof float[] values) {
            fold((float[]) in, inAt, values, inOutAt, end);
        } else {
            fold((short[]) in, inAt, (short[]) inOut, inOutAt, end);
        }
    }

    /** As {@link Float#compare}, but both zeros are equal. */
    static int compare(float a, float b) {
        return a == b ? 0 : Float.compare(a, b);
    }

    /** As {@link Double#compare}, but both zeros are equal. */
    static int compare(double a, double b) {
        return a == b ? 0 : Double.compare(a, b);
    }

    /** Whether a pair replaces the one it is compared with. */
    private boolean wins(int order, boolean lowerIndex) {
        return order == 0 ? lowerIndex : order > 0 == greatest;
    }

    private void fold(short[] in, int inAt, short[] inOut, int inOutAt, int end) {
        for (int i = inAt, j = inOutAt; j < end; i += 2, j += 2) {
            if (wins(Short.compare(in[i], inOut[j]), in[i + 1] < inOut[j + 1])) {
                inOut[j] = in[i];
                inOut[j + 1] = in[i + 1];
            }
        }
    }

    private void fold(int[] in, int inAt, int[] inOut, int inOutAt, int end) {
        for (int i = inAt, j = inOutAt; j < end; i += 2, j += 2) {
            if (wins(Integer.compare(in[i], inOut[j]), in[i + 1] < inOut[j + 1])) {
                inOut[j] = in[i];
                inOut[j + 1] = in[i + 1];
            }
        }
    }

    private void fold(long[] in, int inAt, long[] inOut, int inOutAt, int end) {
        for (int i = inAt, j = inOutAt; j < end; i += 2, j += 2) {
            if (wins(Long.compare(in[i], inOut[j]), in[i + 1] < inOut[j + 1])) {
                inOut[j] = in[i];
                inOut[j + 1] = in[i + 1];
            }
        }
    }

    private void fold(float[] in, int inAt, float[] inOut, int inOutAt, int end) {
        for (int i = inAt, j = inOutAt; j < end; i += 2, j += 2) {
            if (wins(compare(in[i], inOut[j]), in[i + 1] < inOut[j + 1])) {
                inOut[j] = in[i];
                inOut[j + 1] = in[i + 1];
            }
        }
    }

    private void fold(double[] in, int inAt, double[] inOut, int inOutAt, int end) {
        for (int i = inAt, j = inOutAt; j < end; i += 2, j += 2) {
            if (wins(compare(in[i], inOut[j]), in[i + 1] < inOut[j + 1])) {
                inOut[j] = in[i];
                inOut[j + 1] = in[i + 1];
            }
        }
    }
}
