package org.posthouse.system.jobs;

import mpi.MPI;

/** Says that it is busy, and is: no call of MPI ever again. Somebody else has to end it. */
public final class Computes {
    private Computes() {}

    public static void main(String[] args) {
        MPI.Init(args);
        System.out.println("busy, pid " + ProcessHandle.current().pid());
        double sum = 0;
        for (long i = 1; sum < 1e300; i++) {
            sum += 1.0 / i;
        }
        System.out.println(sum);
        MPI.Finalize();
    }
}
