package org.posthouse.system.jobs;

import java.util.Map;
import mpi.MPI;

/** Rank 1 returns before Init; the others wait for it. */
public final class NeverInits {
    private NeverInits() {}

    public static void main(String[] args) {
        Map<String, String> environment = System.getenv();
        if (environment.get("POSTHOUSE_RANK").equals("1")) {
            return;
        }
        MPI.Init(args);
        MPI.COMM_WORLD.Barrier();
        MPI.Finalize();
    }
}
