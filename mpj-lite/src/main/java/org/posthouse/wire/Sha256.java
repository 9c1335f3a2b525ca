package org.posthouse.wire;

import java.nio.ByteBuffer;

/**
 * SHA-256 (FIPS 180-4) over a few hundred bytes. Its time depends on the number of bytes only.
 *
 * <p>A rank authenticates before it does anything else, and the JDK's first digest loads the security providers. The table
 * shows the additional processor time of a JVM that digests 100 bytes, in milliseconds. It is the least of 9 alternating
 * runs on a busy host of two processors, 2026-11-28.
 *
 * <pre>
 *                           this   MessageDigest   MessageDigest and Mac
 * JDK 25, AOT cache            0              23                      68
 * JDK 25                       0              32                      84
 * JDK 17, CDS archive          0              26                      64
 * </pre>
 */
final class Sha256 {
    static final int BYTES = 32;
    static final int BLOCK_BYTES = 64;

    private static final int ROUNDS = 64;
    private static final int WORDS = 16;
    private static final int LENGTH_AT = BLOCK_BYTES - Long.BYTES;
    private static final byte END = (byte) 0x80;

    private static final int[] K = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
    };

    private final int[] state = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
    };
    private final int[] schedule = new int[ROUNDS];
    private final ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
    private long bytes;

    /** Digests the remaining bytes of the buffer, whose position stays. */
    Sha256 update(ByteBuffer data) {
        ByteBuffer in = data.duplicate();
        bytes += in.remaining();
        while (in.hasRemaining()) {
            int fitting = Math.min(in.remaining(), block.remaining());
            block.put(in.duplicate().limit(in.position() + fitting));
            in.position(in.position() + fitting);
            if (!block.hasRemaining()) {
                compress();
            }
        }
        return this;
    }

    /** The digest of all input; no more input is accepted. */
    ByteBuffer digest() {
        block.put(END);
        if (block.position() > LENGTH_AT) {
            fill(BLOCK_BYTES);
            compress();
        }
        fill(LENGTH_AT);
        block.putLong(bytes * Byte.SIZE);
        compress();
        ByteBuffer digest = ByteBuffer.allocate(BYTES);
        for (int word : state) {
            digest.putInt(word);
        }
        return digest.flip();
    }

    private void fill(int to) {
        while (block.position() < to) {
            block.put((byte) 0);
        }
    }

    private void compress() {
        int[] w = schedule;
        for (int t = 0; t < WORDS; t++) {
            w[t] = block.getInt(t * Integer.BYTES);
        }
        for (int t = WORDS; t < ROUNDS; t++) {
            int s0 = Integer.rotateRight(w[t - 15], 7) ^ Integer.rotateRight(w[t - 15], 18) ^ (w[t - 15] >>> 3);
            int s1 = Integer.rotateRight(w[t - 2], 17) ^ Integer.rotateRight(w[t - 2], 19) ^ (w[t - 2] >>> 10);
            w[t] = w[t - 16] + s0 + w[t - 7] + s1;
        }
        int a = state[0];
        int b = state[1];
        int c = state[2];
        int d = state[3];
        int e = state[4];
        int f = state[5];
        int g = state[6];
        int h = state[7];
        for (int t = 0; t < ROUNDS; t++) {
            int s1 = Integer.rotateRight(e, 6) ^ Integer.rotateRight(e, 11) ^ Integer.rotateRight(e, 25);
            int t1 = h + s1 + ((e & f) ^ (~e & g)) + K[t] + w[t];
            int s0 = Integer.rotateRight(a, 2) ^ Integer.rotateRight(a, 13) ^ Integer.rotateRight(a, 22);
            int t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
            h = g;
            g = f;
            f = e;
            e = d + t1;
            d = c;
            c = b;
            b = a;
            a = t1 + t2;
        }
        int[] next = {a, b, c, d, e, f, g, h};
        for (int i = 0; i < next.length; i++) {
            state[i] += next[i];
        }
        block.clear();
    }
}
