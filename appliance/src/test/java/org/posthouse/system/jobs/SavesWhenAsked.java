package org.posthouse.system.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import mpi.Checkpoint;
import mpi.MPI;

/**
 * Ranks that fold what all of them send, step by step, until the file {@code end} is in the folder that the argument names, and save
 * themselves only when they are asked. The first process of rank 1 dies once the file {@code die} is there. Each process notes in
 * {@code began} at which step it began.
 */
public final class SavesWhenAsked {
    private static final int KILLED = 137;
    private static final long STEP_MS = 5;

    private SavesWhenAsked() {}

    public static void main(String[] args) throws IOException, InterruptedException {
        Path folder = Path.of(MPI.Init(args)[0]);
        int rank = MPI.COMM_WORLD.Rank();
        String incarnation = System.getenv("POSTHOUSE_INCARNATION");
        long[] fold = {1};
        Checkpoint checkpoint = Checkpoint.open();
        Checkpoint.Value<Integer> step = checkpoint.register("step", 0);
        checkpoint.register("fold", fold);
        checkpoint.restored();
        Files.writeString(
                folder.resolve("began"), rank + "/" + incarnation + " " + step.get() + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        while (goesOn(folder, rank)) {
            long[] sum = new long[1];
            MPI.COMM_WORLD.Allreduce(new long[] {31 * fold[0] + rank}, 0, sum, 0, 1, MPI.LONG, MPI.SUM);
            fold[0] = sum[0] + step.get();
            step.set(step.get() + 1);
            if (rank == 1 && incarnation.equals("1") && Files.exists(folder.resolve("die"))) {
                Runtime.getRuntime().halt(KILLED);
            }
            checkpoint.point();
            Thread.sleep(STEP_MS);
        }
        long[] all = new long[MPI.COMM_WORLD.Size()];
        MPI.COMM_WORLD.Allgather(fold, 0, 1, MPI.LONG, all, 0, 1, MPI.LONG);
        for (long other : all) {
            if (other != fold[0]) {
                throw new IllegalStateException("rank " + rank + " has " + fold[0] + ", another " + other);
            }
        }
        if (rank == 0) {
            System.out.println("Verification: SUCCESSFUL");
        }
        MPI.Finalize();
    }

    /** Rank 0 decides. */
    private static boolean goesOn(Path folder, int rank) {
        int[] goesOn = {rank == 0 && Files.exists(folder.resolve("end")) ? 0 : 1};
        MPI.COMM_WORLD.Bcast(goesOn, 0, 1, MPI.INT, 0);
        return goesOn[0] == 1;
    }
}
