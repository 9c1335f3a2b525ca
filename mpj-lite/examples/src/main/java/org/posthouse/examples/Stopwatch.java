package org.posthouse.examples;

import mpi.Intracomm;
import mpi.MPI;

/** Measures what all ranks of a communicator do together. Confined to its rank; {@link #start} is collective. */
final class Stopwatch {

    private static final int ROOT = 0;

    private final Intracomm comm;
    private final double start;

    private Stopwatch(Intracomm comm) {
        this.comm = comm;
        comm.Barrier();
        start = MPI.Wtime();
    }

    /** Starts when every rank has come. */
    static Stopwatch start(Intracomm comm) {
        return new Stopwatch(comm);
    }

    /** Seconds since the start, of the rank that took longest; collective, and the answer is on rank 0 only. */
    double slowest() {
        double[] seconds = {MPI.Wtime() - start};
        double[] slowest = new double[1];
        comm.Reduce(seconds, 0, slowest, 0, 1, MPI.DOUBLE, MPI.MAX, ROOT);
        return slowest[0];
    }
}
