package org.posthouse.examples;

import mpi.Intracomm;
import mpi.MPI;

/** The commonest reduction: what all ranks have, added up, at all ranks. Collective. */
final class AllSum {

    private AllSum() {}

    /** The element-wise sum of all ranks' arrays, which must be of one length. */
    static double[] of(Intracomm comm, double... own) {
        double[] total = new double[own.length];
        comm.Allreduce(own, 0, total, 0, own.length, MPI.DOUBLE, MPI.SUM);
        return total;
    }
}
