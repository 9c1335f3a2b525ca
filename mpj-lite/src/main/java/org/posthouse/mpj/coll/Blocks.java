package org.posthouse.mpj.coll;

import java.util.Arrays;
import org.posthouse.mpj.data.Region;

/**
 * The position and count, in elements, of each rank's block in a region. Immutable; the arrays are kept, not copied,
 * and may be longer than the communicator. Sums beyond the range of int throw {@link ArithmeticException}.
 */
public final class Blocks {
    private final int[] counts;
    private final int[] positions;
    /** Length of every block if the arrays are null. */
    private final int each;

    private Blocks(int[] counts, int[] positions, int each) {
        this.counts = counts;
        this.positions = positions;
        this.each = each;
    }

    /** Equal blocks, one after another. */
    public static Blocks even(int count) {
        return new Blocks(null, null, count);
    }

    /** Blocks of any length anywhere. Received blocks may not overlap. */
    public static Blocks at(int[] counts, int[] positions) {
        return new Blocks(counts, positions, 0);
    }

    /** Blocks of any length, one after another. */
    public static Blocks adjacent(int[] counts, int ranks) {
        int[] positions = new int[ranks];
        for (int rank = 1; rank < ranks; rank++) {
            positions[rank] = Math.addExact(positions[rank - 1], counts[rank - 1]);
        }
        return new Blocks(counts, positions, 0);
    }

    /** Whether all ranks' blocks have one length, known at every rank. */
    boolean areEven() {
        return counts == null;
    }

    int count(int rank) {
        return counts == null ? each : counts[rank];
    }

    int position(int rank) {
        return positions == null ? Math.multiplyExact(rank, each) : positions[rank];
    }

    /** Elements in the first {@code ranks} blocks. */
    public int total(int ranks) {
        int total = 0;
        for (int rank = 0; rank < ranks; rank++) {
            total = Math.addExact(total, count(rank));
        }
        return total;
    }

    /** Whether the first {@code ranks} blocks lie one after another from position 0 on. */
    boolean areAdjacent(int ranks) {
        int expected = 0;
        for (int rank = 0; rank < ranks; rank++) {
            if (position(rank) != expected) {
                return false;
            }
            expected = Math.addExact(expected, count(rank));
        }
        return true;
    }

    /** The same blocks, packed one after another. */
    Blocks packed(int ranks) {
        int[] lengths = new int[ranks];
        for (int rank = 0; rank < ranks; rank++) {
            lengths[rank] = count(rank);
        }
        return adjacent(lengths, ranks);
    }

    /** The same blocks behind an empty one for rank 0. */
    Blocks behindEmpty(int ranks) {
        int[] lengths = new int[ranks + 1];
        int[] places = new int[ranks + 1];
        for (int rank = 0; rank < ranks; rank++) {
            lengths[rank + 1] = count(rank);
            places[rank + 1] = position(rank);
        }
        return at(lengths, places);
    }

    /** A rank's block in {@code region}. */
    Block of(int rank, Region region) {
        return new Block(region, position(rank), count(rank));
    }

    /** Each rank's block in {@code region}. */
    Block[] in(Region region, int ranks) {
        Block[] blocks = new Block[ranks];
        Arrays.setAll(blocks, rank -> of(rank, region));
        return blocks;
    }
}
