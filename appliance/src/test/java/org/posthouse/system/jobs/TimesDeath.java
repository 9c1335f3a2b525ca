package org.posthouse.system.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import mpi.MPI;
import mpi.MPIException;

/**
 * The last rank writes the time into a file and ends itself while all others wait for it; each prints how long after that it was told. Argument: the
 * file.
 */
public final class TimesDeath {
    private static final int KILLED = 137;

    private TimesDeath() {}

    public static void main(String[] args) throws IOException {
        Path file = Path.of(MPI.Init(args)[0]);
        int last = MPI.COMM_WORLD.Size() - 1;
        MPI.COMM_WORLD.Barrier();
        if (MPI.COMM_WORLD.Rank() == last) {
            Files.writeString(file, Long.toString(System.nanoTime()));
            Runtime.getRuntime().halt(KILLED);
        }
        try {
            MPI.COMM_WORLD.Recv(new int[1], 0, 1, MPI.INT, last, 1);
        } catch (MPIException e) {
            long told = System.nanoTime();
            if (e.getErrorClass() != MPI.ERR_PROC_FAILED) {
                throw e;
            }
            System.out.println("told after " + (told - Long.parseLong(Files.readString(file))) / 1_000 + " us");
        }
        MPI.Finalize();
    }
}
