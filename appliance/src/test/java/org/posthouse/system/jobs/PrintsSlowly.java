package org.posthouse.system.jobs;

import java.nio.file.Files;
import java.nio.file.Path;
import mpi.MPI;

/**
 * Each rank prints args[0] lines with its rank and their numbers, and awaits the others every 20 lines. At each quarter
 * of the lines it awaits the file go-1, go-2 or go-3 in the folder args[1].
 */
public final class PrintsSlowly {
    private PrintsSlowly() {}

    public static void main(String[] args) throws Exception {
        String[] own = MPI.Init(args);
        int lines = Integer.parseInt(own[0]);
        for (int line = 0; line < lines; line++) {
            if (line > 0 && line % (lines / 4) == 0) {
                Path go = Path.of(own[1]).resolve("go-" + line / (lines / 4));
                while (!Files.exists(go)) {
                    Thread.sleep(20);
                }
            }
            System.out.println("rank " + MPI.COMM_WORLD.Rank() + " line " + line);
            if (line % 20 == 0) {
                MPI.COMM_WORLD.Barrier();
            }
        }
        MPI.Finalize();
    }
}
