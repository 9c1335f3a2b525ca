package org.posthouse.system.jobs;

import java.io.IOException;
import mpi.MPI;

/** Starts a process that outlives it and holds its output open. */
public final class LeavesChild {
    private LeavesChild() {}

    public static void main(String[] args) throws IOException {
        MPI.Init(args);
        Process child = new ProcessBuilder("sleep", "1000").inheritIO().start();
        System.out.println("child " + child.pid());
        MPI.Finalize();
    }
}
