package org.posthouse.mpj.data;

/** Multiplies; integers wrap around. Loops are written out per type so that the JIT can vectorize them. */
final class Product extends Elementwise {
    Product() {
        super(NUMBERS);
    }

    @Override
    public boolean accepts(Base base, Unit unit) {
        return unit == Unit.COMPLEX || super.accepts(base, unit);
    }

    @Override
    public void fold(Unit unit, Object in, int inAt, Object inOut, int inOutAt, int count) {
        if (unit != Unit.COMPLEX) {
            super.fold(unit, in, inAt, inOut, inOutAt, count);
        } else if (inOut instanceof double[] values) {
            ComplexProduct.fold((double[]) in, inAt, values, inOutAt, count);
        } else {
            ComplexProduct.fold((float[]) in, inAt, (float[]) inOut, inOutAt, count);
        }
    }

    @Override
    void fold(byte[] in, int inAt, byte[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = (byte) (in[inAt + i] * inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(char[] in, int inAt, char[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = (char) (in[inAt + i] * inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(short[] in, int inAt, short[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = (short) (in[inAt + i] * inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(int[] in, int inAt, int[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = in[inAt + i] * inOut[inOutAt + i];
        }
    }

    @Override
    void fold(long[] in, int inAt, long[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = in[inAt + i] * inOut[inOutAt + i];
        }
    }

    @Override
    void fold(float[] in, int inAt, float[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = in[inAt + i] * inOut[inOutAt + i];
        }
    }

    @Override
    void fold(double[] in, int inAt, double[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = in[inAt + i] * inOut[inOutAt + i];
        }
    }
}
