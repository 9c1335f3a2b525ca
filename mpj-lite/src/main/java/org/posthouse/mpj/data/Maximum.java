package org.posthouse.mpj.data;

/** The greater value; NaN wins. Loops are written out per type so that the JIT can vectorize them. */
final class Maximum extends Elementwise {
    Maximum() {
        super(NUMBERS);
    }

    @Override
    void fold(byte[] in, int inAt, byte[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = (byte) Math.max(in[inAt + i], inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(char[] in, int inAt, char[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = (char) Math.max(in[inAt + i], inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(short[] in, int inAt, short[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = (short) Math.max(in[inAt + i], inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(int[] in, int inAt, int[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = Math.max(in[inAt + i], inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(long[] in, int inAt, long[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = Math.max(in[inAt + i], inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(float[] in, int inAt, float[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = Math.max(in[inAt + i], inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(double[] in, int inAt, double[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = Math.max(in[inAt + i], inOut[inOutAt + i]);
        }
    }
}
