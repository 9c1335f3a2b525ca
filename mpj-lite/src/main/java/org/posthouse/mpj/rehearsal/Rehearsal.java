package org.posthouse.mpj.rehearsal;

import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;
import mpi.Status;

/**
 * A job of any size that exercises a little of what jobs do. Its ranks' JVM records what it learned, so that later
 * ranks' JVMs start faster. It checks nothing. It is in the library because a cache is valid only for class paths that
 * begin with its own.
 */
public final class Rehearsal {
    private static final int TAG = 1;
    private static final int LONG = 100_000;

    private Rehearsal() {}

    /** Runs one rank. */
    public static void main(String[] args) {
        MPI.Init(args);
        Intracomm world = MPI.COMM_WORLD;
        int next = (world.Rank() + 1) % world.Size();
        int previous = (world.Rank() + world.Size() - 1) % world.Size();
        for (int count : new int[] {1, LONG}) {
            Request send = world.Isend(new int[count], 0, count, MPI.INT, next, TAG);
            Status found = world.Probe(previous, TAG);
            world.Recv(new int[count], 0, found.Get_count(MPI.INT), MPI.INT, MPI.ANY_SOURCE, MPI.ANY_TAG);
            send.Wait();
        }
        double[] sum = new double[1];
        world.Bcast(new double[] {MPI.Wtime()}, 0, 1, MPI.DOUBLE, 0);
        world.Allreduce(new double[1], 0, sum, 0, 1, MPI.DOUBLE, MPI.SUM);
        world.Reduce(new double[1], 0, sum, 0, 1, MPI.DOUBLE, MPI.MAX, 0);
        world.Gather(new int[1], 0, 1, MPI.INT, new int[world.Size()], 0, 1, MPI.INT, 0);
        world.Barrier();
        System.out.printf("rank %d of %d rehearsed, %.1f%n", world.Rank(), world.Size(), sum[0]);
        MPI.Finalize();
    }
}
