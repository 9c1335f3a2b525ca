package org.posthouse.system.jobs;

import java.nio.file.Path;
import mpi.MPI;

/** Each rank prints the variable args[0] and its folder's last name, and its rank to standard error. Rank args[1] ends with status 3, if it is given. */
public final class ShowsPlace {
    private ShowsPlace() {}

    public static void main(String[] args) throws Exception {
        String[] own = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        System.out.println(System.getenv(own[0]) + " in " + Path.of("").toAbsolutePath().getFileName());
        System.err.println("rank " + rank);
        MPI.COMM_WORLD.Barrier();
        if (own.length > 1 && rank == Integer.parseInt(own[1])) {
            System.exit(3);
        }
        MPI.Finalize();
    }
}
