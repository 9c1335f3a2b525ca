package org.posthouse.system.jobs;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import mpi.MPI;

/**
 * A ring of known traffic, twice: rank r sends r + 1 messages of 10 bytes to the next one, which checks them. Behind each ring
 * rank 0 waits for a file, args[0] and args[1], and then sends one byte to each other rank, which waits for that.
 */
public final class KnownTraffic {
    private static final int BYTES = 10;
    private static final int RING = 1;
    private static final int GO = 2;
    private static final long LOOK_MS = 20;

    private KnownTraffic() {}

    public static void main(String[] args) throws Exception {
        for (String file : MPI.Init(args)) {
            ring();
            awaitFile(Path.of(file));
        }
        if (MPI.COMM_WORLD.Rank() == 0) {
            System.out.println("Verification: SUCCESSFUL");
        }
        MPI.Finalize();
    }

    private static void ring() {
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();
        for (int message = 0; message <= rank; message++) {
            MPI.COMM_WORLD.Send(content(rank, message), 0, BYTES, MPI.BYTE, (rank + 1) % size, RING);
        }
        int before = (rank + size - 1) % size;
        for (int message = 0; message <= before; message++) {
            byte[] received = new byte[BYTES];
            MPI.COMM_WORLD.Recv(received, 0, BYTES, MPI.BYTE, before, RING);
            if (!Arrays.equals(received, content(before, message))) {
                throw new IllegalStateException("rank " + rank + ": message " + message + " of rank " + before + " is another one");
            }
        }
    }

    private static byte[] content(int rank, int message) {
        byte[] content = new byte[BYTES];
        Arrays.fill(content, (byte) (16 * rank + message));
        return content;
    }

    private static void awaitFile(Path file) throws InterruptedException {
        if (MPI.COMM_WORLD.Rank() > 0) {
            MPI.COMM_WORLD.Recv(new byte[1], 0, 1, MPI.BYTE, 0, GO);
            return;
        }
        while (!Files.exists(file)) {
            TimeUnit.MILLISECONDS.sleep(LOOK_MS);
        }
        for (int other = 1; other < MPI.COMM_WORLD.Size(); other++) {
            MPI.COMM_WORLD.Send(new byte[1], 0, 1, MPI.BYTE, other, GO);
        }
    }
}
