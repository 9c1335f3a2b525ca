package org.posthouse.bench.replicas;

import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import mpi.MPI;
import org.posthouse.mpj.Endpoints;

/**
 * The program of both ranks of {@code bench replicas --pause}: rank 0 sends a byte every two milliseconds and waits for the answer of rank
 * 1, until it is killed. Rank 0 tells the driver when each round trip began and ended, by {@link System#nanoTime}, which all processes of
 * a host share. Rank 1 tells from time to time how many it has answered. Argument: the driver's port.
 */
public final class PauseRank {
    /** Rank 1 tells after so many answers. */
    static final int TOLD_EVERY = 20;

    private static final long PACE_NS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int TAG = 7;

    private PauseRank() {}

    public static void main(String[] args) throws IOException {
        String[] own = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        try (Socket driver = new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(own[0]))) {
            driver.setTcpNoDelay(true);
            DataOutputStream out = new DataOutputStream(driver.getOutputStream());
            out.writeInt(rank);
            out.writeBoolean(System.getenv(Endpoints.FOLLOWER) != null);
            if (rank == 0) {
                ask(out);
            } else {
                answer(out);
            }
        }
    }

    private static void ask(DataOutputStream out) throws IOException {
        byte[] bytes = new byte[1];
        while (true) {
            LockSupport.parkNanos(PACE_NS);
            long begin = System.nanoTime();
            MPI.COMM_WORLD.Send(bytes, 0, 1, MPI.BYTE, 1, TAG);
            MPI.COMM_WORLD.Recv(bytes, 0, 1, MPI.BYTE, 1, TAG);
            out.writeLong(begin);
            out.writeLong(System.nanoTime());
        }
    }

    private static void answer(DataOutputStream out) throws IOException {
        byte[] bytes = new byte[1];
        for (long answers = 1;; answers++) {
            MPI.COMM_WORLD.Recv(bytes, 0, 1, MPI.BYTE, 0, TAG);
            MPI.COMM_WORLD.Send(bytes, 0, 1, MPI.BYTE, 0, TAG);
            if (answers % TOLD_EVERY == 0) {
                out.writeLong(answers);
            }
        }
    }
}
