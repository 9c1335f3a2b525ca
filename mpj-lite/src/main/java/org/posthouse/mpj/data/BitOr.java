package org.posthouse.mpj.data;

/** Bits set in either. Loops are written out per type so that the JIT can vectorize them. */
final class BitOr extends Elementwise {
    BitOr() {
        super(INTEGERS);
    }

    @Override
    void fold(byte[] in, int inAt, byte[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] |= in[inAt + i];
        }
    }

    @Override
    void fold(char[] in, int inAt, char[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] |= in[inAt + i];
        }
    }

    @Override
    void fold(short[] in, int inAt, short[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] |= in[inAt + i];
        }
    }

    @Override
    void fold(int[] in, int inAt, int[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] |= in[inAt + i];
        }
    }

    @Override
    void fold(long[] in, int inAt, long[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] |= in[inAt + i];
        }
    }
}
