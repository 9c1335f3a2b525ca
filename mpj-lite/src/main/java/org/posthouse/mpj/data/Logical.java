package org.posthouse.mpj.data;

/** A reduction of truth values. Of numbers, 0 is false and all others are true; the result is 0 or 1. */
final class Logical extends Elementwise {
    /** Which function. */
    enum Kind {
        AND,
        OR,
        XOR
    }

    private final Kind kind;

    Logical(Kind kind) {
        super(TRUTHS);
        this.kind = kind;
    }

    private boolean of(boolean a, boolean b) {
        return switch (kind) {
            case AND -> a && b;
            case OR -> a || b;
            case XOR -> a ^ b;
        };
    }

    private int number(boolean a, boolean b) {
        return of(a, b) ? 1 : 0;
    }

    @Override
    void fold(boolean[] in, int inAt, boolean[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = of(in[inAt + i], inOut[inOutAt + i]);
        }
    }

    @Override
    void fold(byte[] in, int inAt, byte[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = (byte) number(in[inAt + i] != 0, inOut[inOutAt + i] != 0);
        }
    }

    @Override
    void fold(char[] in, int inAt, char[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = (char) number(in[inAt + i] != 0, inOut[inOutAt + i] != 0);
        }
    }

    @Override
    void fold(short[] in, int inAt, short[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = (short) number(in[inAt + i] != 0, inOut[inOutAt + i] != 0);
        }
    }

    @Override
    void fold(int[] in, int inAt, int[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = number(in[inAt + i] != 0, inOut[inOutAt + i] != 0);
        }
    }

    @Override
    void fold(long[] in, int inAt, long[] inOut, int inOutAt, int count) {
        for (int i = 0; i < count; i++) {
            inOut[inOutAt + i] = number(in[inAt + i] != 0, inOut[inOutAt + i] != 0);
        }
    }
}
