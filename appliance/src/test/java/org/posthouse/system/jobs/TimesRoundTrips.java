package org.posthouse.system.jobs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import mpi.MPI;

/**
 * Ranks 0 and 1 send one byte to and fro until the file args[1] exists. For each {@value #TRIPS} round trips rank 0 writes a line
 * to the file args[0]: the time, milliseconds since 1970, and the median, nanoseconds.
 */
public final class TimesRoundTrips {
    private static final int TRIPS = 2_000;
    private static final byte END = 1;

    private TimesRoundTrips() {}

    public static void main(String[] args) throws IOException {
        String[] files = MPI.Init(args);
        byte[] message = new byte[1];
        if (MPI.COMM_WORLD.Rank() == 0) {
            while (!Files.exists(Path.of(files[1]))) {
                long median = median(message);
                Files.writeString(Path.of(files[0]), System.currentTimeMillis() + " " + median + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
            message[0] = END;
            trip(message);
        } else {
            while (message[0] != END) {
                MPI.COMM_WORLD.Recv(message, 0, 1, MPI.BYTE, 0, 1);
                MPI.COMM_WORLD.Send(message, 0, 1, MPI.BYTE, 0, 1);
            }
        }
        MPI.Finalize();
    }

    private static long median(byte[] message) {
        long[] nanos = new long[TRIPS];
        for (int trip = 0; trip < TRIPS; trip++) {
            long begin = System.nanoTime();
            trip(message);
            nanos[trip] = System.nanoTime() - begin;
        }
        Arrays.sort(nanos);
        return nanos[TRIPS / 2];
    }

    private static void trip(byte[] message) {
        MPI.COMM_WORLD.Send(message, 0, 1, MPI.BYTE, 1, 1);
        MPI.COMM_WORLD.Recv(message, 0, 1, MPI.BYTE, 1, 1);
    }
}
