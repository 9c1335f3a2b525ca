package org.posthouse.system.jobs;

import java.nio.file.Files;
import java.nio.file.Path;
import mpi.MPI;

/** Rank 0 says the job's id and waits for a message of rank 1, which comes once the file in args[0] exists. */
public final class Waits {
    private static final int TAG = 5;

    private Waits() {}

    public static void main(String[] args) throws InterruptedException {
        String[] own = MPI.Init(args);
        int[] value = new int[1];
        if (MPI.COMM_WORLD.Rank() == 0) {
            System.out.println("job " + System.getenv("POSTHOUSE_JOB") + " waits");
            MPI.COMM_WORLD.Recv(value, 0, 1, MPI.INT, 1, TAG);
            System.out.println("done");
        } else {
            while (!Files.exists(Path.of(own[0]))) {
                Thread.sleep(10);
            }
            MPI.COMM_WORLD.Send(value, 0, 1, MPI.INT, 0, TAG);
        }
        MPI.Finalize();
    }
}
