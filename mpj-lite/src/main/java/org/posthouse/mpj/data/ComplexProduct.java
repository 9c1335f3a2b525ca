package org.posthouse.mpj.data;

/** Products of complex numbers: adjacent real and imaginary parts. Stateless. */
final class ComplexProduct {
    private ComplexProduct() {}

    static void fold(float[] in, int inAt, float[] inOut, int inOutAt, int count) {
        for (int i = inAt, j = inOutAt; j < inOutAt + 2 * count; i += 2, j += 2) {
            float real = in[i] * inOut[j] - in[i + 1] * inOut[j + 1];
            inOut[j + 1] = in[i] * inOut[j + 1] + in[i + 1] * inOut[j];
            inOut[j] = real;
        }
    }

    static void fold(double[] in, int inAt, double[] inOut, int inOutAt, int count) {
        for (int i = inAt, j = inOutAt; j < inOutAt + 2 * count; i += 2, j += 2) {
            double real = in[i] * inOut[j] - in[i + 1] * inOut[j + 1];
            inOut[j + 1] = in[i] * inOut[j + 1] + in[i + 1] * inOut[j];
            inOut[j] = real;
        }
    }
}
