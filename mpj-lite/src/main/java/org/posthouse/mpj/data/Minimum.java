package org.posthouse.mpj.data;

/** The lesser value; NaN wins. Loops are written out per type so that the JIT can vectorize them. */
final class Minimum extends Elementwise {
    Minimum() {
        super(NUMBERS);
    }

    @Override
    void fold(byte[] in, int inAt, byte[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = (byte) Math.min(in[inAt + i], inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(char[] in, int inAt, char[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = (char) Math.min(in[inAt + i], inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(short[] in, int inAt, short[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = (short) Math.min(in[inAt + i], inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(int[] in, int inAt, int[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = Math.min(in[inAt + i], inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(long[] in, int inAt, long[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = Math.min(in[inAt + i], inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(float[] in, int inAt, float[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = Math.min(in[inAt + i], inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(double[] in, int inAt, double[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = Math.min(in[inAt + i], inOut[inOutAt + i]);
        }
    }
}
