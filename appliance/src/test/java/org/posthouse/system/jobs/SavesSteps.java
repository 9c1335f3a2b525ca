package org.posthouse.system.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import mpi.Checkpoint;
import mpi.Intracomm;
import mpi.MPI;
import mpi.Status;

/**
 * A master that takes what comes from anybody and folds it in the order in which it comes, and workers whose messages depend
 * on the fold, as {@link MasterOfAny}; but every rank saves its state now and then, goes on from there, uses a communicator of its
 * prologue and MPI's random numbers, and prints in lines and half lines. Arguments: steps, steps between two saves, where to write at
 * which step each process began, {@link Kills}, which counts the deliveries of each process by itself, and a step at which each process
 * of rank 1 says that it is there and waits for the test, if any.
 */
public final class SavesSteps {
    private final Intracomm ring;
    private final int rank;
    private final int size;
    private final int steps;
    private final int every;
    private final Kills kills;
    private final int stopsAt;
    private final long[] fold = {1};
    private final double[] drawn = new double[1];

    private SavesSteps(String[] own) {
        rank = MPI.COMM_WORLD.Rank();
        size = MPI.COMM_WORLD.Size();
        ring = MPI.COMM_WORLD.dup();
        steps = Integer.parseInt(own[0]);
        every = Integer.parseInt(own[1]);
        kills = new Kills(own[3], rank);
        stopsAt = own.length > 4 ? Integer.parseInt(own[4]) : -1;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        String[] own = MPI.Init(args);
        new SavesSteps(own).run(Path.of(own[2]));
        MPI.Finalize();
    }

    private void run(Path folder) throws IOException, InterruptedException {
        System.out.print("rank " + rank + " of " + size + ": ");
        Checkpoint checkpoint = Checkpoint.open();
        Checkpoint.Value<Integer> step = checkpoint.register("step", 0);
        checkpoint.register("fold", fold);
        checkpoint.register("drawn", out -> out.writeDouble(drawn[0]), in -> drawn[0] = in.readDouble());
        checkpoint.restored();
        note(folder, step.get());
        for (; step.get() < steps; step.set(step.get() + 1)) {
            if (step.get() % every == 0) {
                checkpoint.save();
            }
            stop(folder, step.get());
            step(step.get());
        }
        long[] all = new long[size];
        ring.Allgather(fold, 0, 1, MPI.LONG, all, 0, 1, MPI.LONG);
        System.out.println("end");
        for (long other : all) {
            if (other != fold[0]) {
                throw new IllegalStateException("rank " + rank + " has " + fold[0] + ", another " + other);
            }
        }
        if (rank == 0) {
            System.out.println("Verification: SUCCESSFUL");
        }
    }

    /** Where this process began. */
    private void note(Path folder, int step) throws IOException {
        String incarnation = System.getenv("POSTHOUSE_INCARNATION");
        Files.writeString(
                folder.resolve("began"), rank + "/" + incarnation + " " + step + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void stop(Path folder, int step) throws IOException, InterruptedException {
        if (step == stopsAt && rank == 1) {
            Files.writeString(
                    folder.resolve("stopped-1"), System.getenv("POSTHOUSE_INCARNATION") + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            while (!Files.exists(folder.resolve("go-1"))) {
                Thread.sleep(10);
            }
        }
    }

    private void step(int step) {
        drawn[0] += MPI.Random();
        long[] message = new long[1];
        if (rank == 0) {
            for (int left = size - 1; left > 0; left--) {
                Status status = MPI.COMM_WORLD.Recv(message, 0, 1, MPI.LONG, MPI.ANY_SOURCE, step);
                kills.delivered();
                fold[0] = 31 * fold[0] + 7 * message[0] + status.source;
            }
        } else {
            MPI.COMM_WORLD.Send(new long[] {Double.doubleToLongBits(drawn[0]) ^ fold[0]}, 0, 1, MPI.LONG, 0, step);
        }
        ring.Bcast(fold, 0, 1, MPI.LONG, 0);
        kills.delivered();
        System.out.print(step + (step % 3 == 0 ? "\n" : " "));
    }
}
