package org.posthouse.examples;

/**
 * Some rows of a board of Conway's game of life, with the row above and the row below them. The board is a torus: its
 * last column is the first one's neighbour, and its last row the first one's.
 *
 * <p>Confined to its rank. A cell is a bit, 64 cells are a word, and a generation is computed for a word at once, by
 * adding bits of different words as an adder of gates does. Rows 1 to {@link #rows} are the block's own; rows 0 and
 * {@code rows + 1} are copies of the neighbours', which the caller brings up to date. Bits beyond the last column are
 * always 0.
 *
 * <p>A generation: {@link #addAcross} for all rows 0 to {@code rows + 1}, {@link #compute} for all own rows, each after
 * the rows around it were added, then {@link #advance}.
 */
final class LifeBlock {

    private static final int WORD_LOG2 = 6;

    private final int rows;
    private final int columns;
    private final int words;
    private final long lastWordMask;
    private long[] now;
    private long[] next;
    /** How many of the three cells in a row around each cell live: two bits, each in an array of its own. */
    private final long[] ones;

    private final long[] twos;

    /** Dead cells all over; {@code rows} and {@code columns} at least 1. */
    LifeBlock(int rows, int columns) {
        this.rows = rows;
        this.columns = columns;
        words = words(columns);
        lastWordMask = -1L >>> (words * Long.SIZE - columns);
        now = new long[(rows + 2) * words];
        next = new long[now.length];
        ones = new long[now.length];
        twos = new long[now.length];
    }

    /** How many words a row of a board takes. */
    static int words(int columns) {
        return ((columns - 1) >> WORD_LOG2) + 1;
    }

    int rows() {
        return rows;
    }

    int columns() {
        return columns;
    }

    /** The cells of this generation; not a copy, and another array after {@link #advance}. */
    long[] cells() {
        return now;
    }

    /** Where the given row starts in {@link #cells}. */
    int at(int row) {
        return row * words;
    }

    /** Whether a cell lives; columns count from 0, own rows from 1. */
    boolean isAlive(int row, int column) {
        return (now[at(row) + (column >> WORD_LOG2)] >>> column & 1) == 1;
    }

    /** Makes a cell live; columns count from 0, own rows from 1. */
    void bear(int row, int column) {
        now[at(row) + (column >> WORD_LOG2)] |= 1L << column;
    }

    /** Living cells in the own rows. */
    long population() {
        long population = 0;
        for (int i = at(1); i < at(rows + 1); i++) {
            population += Long.bitCount(now[i]);
        }
        return population;
    }

    /** Counts the living cells at each place of a row and at both places beside it. */
    void addAcross(int row) {
        int first = at(row);
        int last = first + words - 1;
        int lastBit = columns - 1 & Long.SIZE - 1;
        long carry = now[last] >>> lastBit & 1;
        for (int i = first; i <= last; i++) {
            long self = now[i];
            long west = self << 1 | carry;
            carry = self >>> Long.SIZE - 1;
            long east = self >>> 1 | (i < last ? now[i + 1] << Long.SIZE - 1 : (now[first] & 1) << lastBit);
            ones[i] = west ^ self ^ east;
            twos[i] = majority(west, self, east);
        }
    }

    /**
     * Computes the next generation of an own row. A cell will live if the nine places around and at it have three
     * living cells, or if they have four and it is one of them.
     */
    void compute(int row) {
        int end = at(row + 1);
        for (int i = at(row); i < end; i++) {
            int above = i - words;
            int below = i + words;
            long one = ones[above] ^ ones[i] ^ ones[below];
            long carried = majority(ones[above], ones[i], ones[below]);
            // The four words of weight two: which places have exactly one of them, and which exactly two?
            long leftOne = twos[above] ^ twos[i];
            long leftTwo = twos[above] & twos[i];
            long rightOne = twos[below] ^ carried;
            long rightTwo = twos[below] & carried;
            long oneOfFour = (leftOne ^ rightOne) & ~(leftTwo | rightTwo);
            long twoOfFour = leftOne & rightOne | (leftTwo ^ rightTwo) & ~(leftOne | rightOne);
            next[i] = one & oneOfFour | ~one & twoOfFour & now[i];
        }
        next[end - 1] &= lastWordMask;
    }

    private static long majority(long a, long b, long c) {
        return a & b | c & (a ^ b);
    }

    /** Makes the computed generation this one; all own rows must have been computed. */
    void advance() {
        long[] old = now;
        now = next;
        next = old;
    }

    /** Computes generations of a block that is the whole board, and so its own neighbour. */
    void advanceAlone(int generations) {
        for (int generation = 0; generation < generations; generation++) {
            System.arraycopy(now, at(rows), now, at(0), words);
            System.arraycopy(now, at(1), now, at(rows + 1), words);
            for (int row = 0; row <= rows + 1; row++) {
                addAcross(row);
            }
            for (int row = 1; row <= rows; row++) {
                compute(row);
            }
            advance();
        }
    }
}
