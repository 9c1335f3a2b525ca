package org.posthouse.system.jobs;

import mpi.MPI;
import org.posthouse.mpj.progress.Settings;

/** Says how long it polls, and whether the JVM lets the library use what makes a blocked read cheap. */
public final class ShowsSettings {
    private ShowsSettings() {}

    public static void main(String[] args) {
        MPI.Init(args);
        boolean open = Object.class.getModule().isExported("sun.nio.ch", MPI.class.getModule());
        System.out.println(Settings.of(System.getenv()).busyPollUs() + " us, " + (open ? "open" : "closed"));
        MPI.Finalize();
    }
}
