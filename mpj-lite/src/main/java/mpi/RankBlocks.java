package mpi;

import org.posthouse.mpj.coll.Blocks;
import org.posthouse.mpj.data.Region;

/**
 * A buffer with a block for each rank, as a collective's call names them: even, one after another; or each with its own count and
 * displacement, both in elements. Not checked yet. Immutable; the arrays are kept, not copied.
 *
 * @param count of each block, if they are even; else they have {@code counts} and {@code displs}
 */
record RankBlocks(Object buffer, int offset, boolean even, int count, int[] counts, int[] displs, Datatype type) {
    static RankBlocks even(Object buffer, int offset, int count, Datatype type) {
        return new RankBlocks(buffer, offset, true, count, null, null, type);
    }

    static RankBlocks at(Object buffer, int offset, int[] counts, int[] displs, Datatype type) {
        return new RankBlocks(buffer, offset, false, 0, counts, displs, type);
    }

    Region region() {
        return type.region(buffer, offset);
    }

    Blocks blocks() {
        return even ? Blocks.even(count) : Blocks.at(counts, displs);
    }

    /** A rank's own block. */
    Elements of(int rank) {
        int before = even ? rank * count : displs[rank];
        return new Elements(buffer, offset + before * type.layout().extent(), even ? count : counts[rank], type);
    }
}
