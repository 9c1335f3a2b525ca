package org.posthouse.mpj.data;

/** Adds; integers wrap around. Loops are written out per type so that the JIT can vectorize them. */
final class Sum extends Elementwise {
    Sum() {
        super(NUMBERS);
    }

    @Override
    public boolean accepts(Base base, Unit unit) {
        return unit == Unit.COMPLEX || super.accepts(base, unit);
    }

    @Override
    void fold(byte[] in, int inAt, byte[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = (byte) (in[inAt + i] + inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(char[] in, int inAt, char[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = (char) (in[inAt + i] + inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(short[] in, int inAt, short[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = (short) (in[inAt + i] + inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(int[] in, int inAt, int[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = in[inAt + i] + inOut[inOutAt + i];
        }
    }

    @Override
    void fold(long[] in, int inAt, long[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = in[inAt + i] + inOut[inOutAt + i];
        }
    }

    @Override
    void fold(float[] in, int inAt, float[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = in[inAt + i] + inOut[inOutAt + i];
        }
    }

    @Override
    void fold(double[] in, int inAt, double[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = in[inAt + i] + inOut[inOutAt + i];
        }
    }
}
