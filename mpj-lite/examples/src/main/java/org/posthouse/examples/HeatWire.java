package org.posthouse.examples;

import mpi.Intracomm;
import mpi.MPI;

/** Heat on a closed wire, of which each process of a communicator computes a part. Each has an array of all cells; those of its own part are right. */
final class HeatWire {
    private static final int TAG_UP = 1;
    private static final int TAG_DOWN = 2;

    private HeatWire() {}

    /** The wire before the first step. */
    static double[] start(int cells) {
        double[] wire = new double[cells];
        for (int cell = 0; cell < cells; cell++) {
            wire[cell] = cell % 17 + (cell % 5 == 0 ? 100 : 0);
        }
        return wire;
    }

    /** The wire after so many steps, computed without others. */
    static double[] alone(int cells, int steps) {
        double[] wire = start(cells);
        for (int done = 0; done < steps; done++) {
            relax(wire, 0, cells);
        }
        return wire;
    }

    /** One step of the process's part. */
    static void step(Intracomm comm, double[] wire) {
        Partition shares = new Partition(wire.length, comm.Size());
        int first = shares.first(comm.Rank());
        int end = first + shares.count(comm.Rank());
        swapEdges(comm, wire, first, end - 1);
        relax(wire, first, end);
    }

    private static void swapEdges(Intracomm comm, double[] wire, int first, int last) {
        int cells = wire.length;
        int above = (comm.Rank() + comm.Size() - 1) % comm.Size();
        int below = (comm.Rank() + 1) % comm.Size();
        comm.Sendrecv(wire, first, 1, MPI.DOUBLE, above, TAG_UP, wire, (last + 1) % cells, 1, MPI.DOUBLE, below, TAG_UP);
        comm.Sendrecv(wire, last, 1, MPI.DOUBLE, below, TAG_DOWN, wire, (first + cells - 1) % cells, 1, MPI.DOUBLE, above, TAG_DOWN);
    }

    /** One step of the cells in [from, to); their neighbours stay. */
    private static void relax(double[] wire, int from, int to) {
        int cells = wire.length;
        double[] next = new double[to - from];
        for (int cell = from; cell < to; cell++) {
            next[cell - from] = 0.25 * wire[(cell + cells - 1) % cells] + 0.5 * wire[cell] + 0.25 * wire[(cell + 1) % cells];
        }
        System.arraycopy(next, 0, wire, from, next.length);
    }

    /** The parts of all. A process that gets them all knows that each has sent its own. */
    static double[] gather(Intracomm comm, double[] wire) {
        Partition shares = new Partition(wire.length, comm.Size());
        int[] counts = new int[comm.Size()];
        int[] places = new int[comm.Size()];
        for (int rank = 0; rank < counts.length; rank++) {
            counts[rank] = shares.count(rank);
            places[rank] = shares.first(rank);
        }
        double[] whole = new double[wire.length];
        comm.Allgatherv(wire, places[comm.Rank()], counts[comm.Rank()], MPI.DOUBLE, whole, 0, counts, places, MPI.DOUBLE);
        return whole;
    }
}
