package org.posthouse.system.jobs;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import mpi.Checkpoint;
import mpi.MPI;

/**
 * Two ranks that pass a number to and fro. The second cannot save or restore its part "grid", once or at all times, catches that and goes on
 * as if nothing had been. Arguments: what fails ({@code save}, {@code memory}, {@code before}, {@code load}), {@code once} or {@code always}, a folder, {@link Kills}.
 */
public final class FailsToSave {
    private static final int STEPS = 30;
    private static final int EVERY = 5;

    private final String what;
    private final boolean always;
    private final Path folder;
    private final int rank = MPI.COMM_WORLD.Rank();
    private final long[] number = new long[1];

    private FailsToSave(String[] own) {
        what = own[0];
        always = own[1].equals("always");
        folder = Path.of(own[2]);
    }

    public static void main(String[] args) throws IOException {
        String[] own = MPI.Init(args);
        if (new FailsToSave(own).run(new Kills(own[3], MPI.COMM_WORLD.Rank()))) {
            MPI.Finalize();
        }
    }

    private void save(DataOutputStream out) throws IOException {
        fail("save");
        if (isToFail("memory")) {
            throw new OutOfMemoryError("as the test wants it");
        }
        out.writeLong(number[0]);
    }

    private void load(DataInputStream in) throws IOException {
        number[0] = in.readLong();
        fail("load");
    }

    private void before() {
        if (isToFail("before")) {
            throw new IllegalStateException("as the test wants it");
        }
    }

    private void fail(String where) throws IOException {
        if (isToFail(where)) {
            throw new IOException("as the test wants it");
        }
    }

    private boolean isToFail(String where) {
        if (rank == 0 || !what.equals(where)) {
            return false;
        }
        try {
            Files.createFile(folder.resolve("failed"));
            return true;
        } catch (FileAlreadyExistsException e) {
            return always;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @return false if something was thrown, and the process ends as if all were well */
    private boolean run(Kills kills) {
        Checkpoint checkpoint = Checkpoint.open();
        Checkpoint.Value<Integer> step = checkpoint.register("step", 0);
        checkpoint.register("grid", this::save, this::load);
        checkpoint.onSave(this::before);
        try {
            checkpoint.restored();
            for (; step.get() < STEPS; step.set(step.get() + 1)) {
                if (step.get() % EVERY == 0 && !what.equals("before")) {
                    checkpoint.save();
                } else {
                    checkpoint.point();
                }
                step(kills);
            }
        } catch (IllegalStateException | Error e) {
            System.out.println("caught " + e);
            return false;
        }
        System.out.println("rank " + rank + " has " + number[0]);
        return true;
    }

    private void step(Kills kills) {
        long[] in = new long[1];
        MPI.COMM_WORLD.Sendrecv(number, 0, 1, MPI.LONG, 1 - rank, 1, in, 0, 1, MPI.LONG, 1 - rank, 1);
        kills.delivered();
        number[0] += in[0] + 1 + rank;
    }
}
