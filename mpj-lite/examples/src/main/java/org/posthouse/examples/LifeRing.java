package org.posthouse.examples;

import java.util.Arrays;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;

/**
 * One rank's part of a game of life that all ranks of a communicator play together: a block of the board's rows, next
 * to the blocks of the ranks before and after it, the last next to the first.
 *
 * <p>Confined to its rank; all methods but {@link #block} are collective. With more ranks than rows, some have no rows
 * and only join in what all ranks do.
 */
final class LifeRing {

    private static final int ROOT = 0;
    private static final int TAG_UPWARD = 1;
    private static final int TAG_DOWNWARD = 2;

    private final Intracomm comm;
    private final int columns;
    private final int words;
    private final int above;
    private final int below;
    private final int players;
    private final int[] counts;
    private final int[] displacements;
    private final LifeBlock block;

    /** Deals out the rows of {@code board}, which only rank 0 needs to give. */
    LifeRing(Intracomm comm, LifeBlock board, int rows, int columns) {
        this.comm = comm;
        this.columns = columns;
        words = LifeBlock.words(columns);
        players = Math.min(comm.Size(), rows);
        Partition shares = new Partition(rows, players);
        counts = Arrays.copyOf(shares.counts(words), comm.Size());
        displacements = Arrays.copyOf(shares.displacements(words), comm.Size());
        above = (comm.Rank() + players - 1) % players;
        below = (comm.Rank() + 1) % players;
        block = new LifeBlock(isPlayer() ? shares.count(comm.Rank()) : 0, columns);
        long[] all = board == null ? new long[0] : board.cells();
        comm.Scatterv(
                all, board == null ? 0 : board.at(1), counts, displacements, MPI.LONG,
                block.cells(), block.at(1), counts[comm.Rank()], MPI.LONG, ROOT);
    }

    private boolean isPlayer() {
        return comm.Rank() < players;
    }

    /** Computes generations. While the edge rows travel, each rank is busy with the rows that need none of them. */
    void advance(int generations) {
        if (!isPlayer()) {
            return;
        }
        int last = block.rows();
        for (int generation = 0; generation < generations; generation++) {
            Request[] travelling = swapEdges();
            for (int row = 1; row <= last; row++) {
                block.addAcross(row);
            }
            for (int row = 2; row < last; row++) {
                block.compute(row);
            }
            Request.Waitall(travelling);
            block.addAcross(0);
            block.addAcross(last + 1);
            block.compute(1);
            block.compute(last);
            block.advance();
        }
    }

    /** Sent rows may be read meanwhile, not written; received rows must be left alone until the requests are complete. */
    private Request[] swapEdges() {
        long[] cells = block.cells();
        int last = block.rows();
        return new Request[] {
            comm.Irecv(cells, block.at(0), words, MPI.LONG, above, TAG_DOWNWARD),
            comm.Irecv(cells, block.at(last + 1), words, MPI.LONG, below, TAG_UPWARD),
            comm.Isend(cells, block.at(1), words, MPI.LONG, above, TAG_UPWARD),
            comm.Isend(cells, block.at(last), words, MPI.LONG, below, TAG_DOWNWARD)
        };
    }

    /** Living cells of the whole board, at every rank. */
    long population() {
        long[] own = {block.population()};
        long[] all = new long[1];
        comm.Allreduce(own, 0, all, 0, 1, MPI.LONG, MPI.SUM);
        return all[0];
    }

    /** The whole board at rank 0, null at all others. */
    LifeBlock collect() {
        LifeBlock board = null;
        if (comm.Rank() == ROOT) {
            board = new LifeBlock(Arrays.stream(counts).sum() / words, columns);
        }
        comm.Gatherv(
                block.cells(), block.at(1), counts[comm.Rank()], MPI.LONG,
                board == null ? new long[0] : board.cells(), board == null ? 0 : board.at(1), counts, displacements,
                MPI.LONG, ROOT);
        return board;
    }
}
