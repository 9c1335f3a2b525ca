package org.posthouse.system.jobs;

import java.nio.charset.StandardCharsets;
import mpi.MPI;

/** Each rank prints: LINES lines with its rank and their number, then one line of LONG characters of two bytes each. Then it ends as HOW says: finalize, abort, exit, kill, child. */
public final class Prints {
    private Prints() {}

    public static void main(String[] args) throws Exception {
        MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int lines = Integer.parseInt(args[0]);
        for (int line = 0; line < lines; line++) {
            System.out.println("rank " + rank + " line " + line + " " + "-".repeat(line % 60));
        }
        if (!args[1].equals("0")) {
            System.out.write(("\u00e4".repeat(Integer.parseInt(args[1])) + "\n").getBytes(StandardCharsets.UTF_8));
        }
        System.out.flush();
        MPI.COMM_WORLD.Barrier();
        switch (args[2]) {
            case "abort" -> MPI.COMM_WORLD.Abort(9);
            case "exit" -> System.exit(3);
            case "kill" -> new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid())).start().waitFor();
            case "child" -> new ProcessBuilder("sh", "-c", "sleep 2; echo child; sleep 1000").redirectOutput(ProcessBuilder.Redirect.INHERIT).start();
            default -> {}
        }
        if (args[2].equals("kill")) {
            Thread.sleep(60_000);
        }
        MPI.Finalize();
    }
}
