package org.posthouse.system.jobs;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.TimeUnit;
import mpi.MPI;

/** Takes the port of its relay as soon as that is gone: no other process of the relay can serve then. */
public final class TakesPort {
    private static final int ROUNDS = 4_000;

    private TakesPort() {}

    public static void main(String[] args) {
        String relay = System.getenv("POSTHOUSE_RELAY");
        Thread.ofPlatform().daemon().start(() -> take(Integer.parseInt(relay.substring(relay.lastIndexOf(':') + 1))));
        MPI.Init(args);
        int[] number = new int[1];
        for (int round = 0; round < ROUNDS; round++) {
            MPI.COMM_WORLD.Allreduce(new int[] {1}, 0, number, 0, 1, MPI.INT, MPI.SUM);
        }
        if (MPI.COMM_WORLD.Rank() == 0) {
            System.out.println("Verification: SUCCESSFUL");
        }
        MPI.Finalize();
    }

    /** Asks so often that a JVM that starts meanwhile comes too late. */
    private static void take(int port) {
        try {
            while (!isHeld(port)) {
                TimeUnit.MILLISECONDS.sleep(2);
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isHeld(int port) throws IOException, InterruptedException {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            TimeUnit.MINUTES.sleep(5);
            return true;
        } catch (BindException e) {
            return false;
        }
    }
}
