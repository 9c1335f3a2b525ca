package org.posthouse.wire;

import java.util.BitSet;

/** World ranks of a job as 64-bit words in a frame: bit b of word w is rank 64 w + b. The frame gives the number of words. */
final class RankSet {
    private static final int WORDS_MAX = JobOpen.RANKS_MAX / Long.SIZE;

    /** Longest set. */
    static final int BYTES_MAX = WORDS_MAX * Long.BYTES;

    private RankSet() {}

    /** Words that hold all of {@code ranks}; at least one. */
    static int words(BitSet ranks) {
        return Math.max(1, (ranks.length() + Long.SIZE - 1) / Long.SIZE);
    }

    static void write(FrameWriter out, BitSet ranks, int words) {
        long[] bits = ranks.toLongArray();
        for (int word = 0; word < words; word++) {
            out.i64(word < bits.length ? bits[word] : 0);
        }
    }

    /** Reads the number of words of the sets that follow. */
    static int readWords(FrameReader in) throws WireException {
        int words = in.i32("words of a rank set");
        if (words < 1 || words > WORDS_MAX) {
            throw new WireException(CloseReason.LIMIT, in.type() + " with a rank set of " + words + " words, expected 1 to " + WORDS_MAX);
        }
        return words;
    }

    static BitSet read(FrameReader in, int words) throws WireException {
        long[] bits = new long[words];
        for (int word = 0; word < words; word++) {
            bits[word] = in.i64("rank set");
        }
        return BitSet.valueOf(bits);
    }
}
