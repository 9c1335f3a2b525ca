package org.posthouse.system.jobs;

import java.nio.charset.StandardCharsets;
import mpi.MPI;

/** Starts a process without an environment in a session of its own, and says its number. It is nobody's child when the rank ends (orphan), or the rank waits for it (child). */
public final class LeavesSession {
    private LeavesSession() {}

    public static void main(String[] args) throws Exception {
        String[] own = MPI.Init(args);
        if (own[0].equals("orphan")) {
            Process shell = new ProcessBuilder("sh", "-c", "env -i setsid sleep 1000 > /dev/null 2>&1 < /dev/null & echo $!").start();
            System.out.println("child " + new String(shell.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip());
            shell.waitFor();
        } else {
            Process child = new ProcessBuilder("env", "-i", "sleep", "1000").start();
            System.out.println("child " + child.pid());
            child.waitFor();
        }
        MPI.Finalize();
    }
}
