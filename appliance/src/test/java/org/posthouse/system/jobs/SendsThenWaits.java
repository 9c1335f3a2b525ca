package org.posthouse.system.jobs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import mpi.MPI;

/** Rank r sends r + 1 messages of 10 bytes to the next one, receives what the one before sends, and waits for the file that its argument names. */
public final class SendsThenWaits {
    private static final int BYTES = 10;
    private static final long LOOK_MS = 20;

    private SendsThenWaits() {}

    public static void main(String[] args) throws Exception {
        String[] rest = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();
        for (int message = 0; message <= rank; message++) {
            MPI.COMM_WORLD.Send(new byte[BYTES], 0, BYTES, MPI.BYTE, (rank + 1) % size, 1);
        }
        int before = (rank + size - 1) % size;
        for (int message = 0; message <= before; message++) {
            MPI.COMM_WORLD.Recv(new byte[BYTES], 0, BYTES, MPI.BYTE, before, 1);
        }
        System.out.println("waits");
        while (!Files.exists(Path.of(rest[0]))) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
        MPI.Finalize();
    }
}
