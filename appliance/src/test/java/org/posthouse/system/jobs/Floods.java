package org.posthouse.system.jobs;

import java.nio.ByteBuffer;
import mpi.MPI;
import mpi.Request;

/** Two ranks of which each sends, or asks for, far more than anybody receives meanwhile: WHAT COUNT. */
public final class Floods {
    private static final int TAG = 7;
    private static final int LAST = 8;

    private Floods() {}

    public static void main(String[] args) {
        String[] words = MPI.Init(args);
        int count = Integer.parseInt(words[1]);
        int other = 1 - MPI.COMM_WORLD.Rank();
        switch (words[0]) {
            case "send" -> send(other, count);
            case "isend", "issend", "ibsend" -> isend(words[0], other, count);
            case "irecv" -> irecv(other, count);
            default -> throw new IllegalArgumentException(words[0]);
        }
        System.out.println("rank " + MPI.COMM_WORLD.Rank() + " has all");
        MPI.Finalize();
    }

    /** Both send before either receives. */
    private static void send(int other, int count) {
        int[] two = new int[2];
        for (int i = 0; i < count; i++) {
            two[0] = i;
            MPI.COMM_WORLD.Send(two, 0, 2, MPI.INT, other, TAG);
        }
        receive(other, count);
    }

    private static void receive(int other, int count) {
        int[] two = new int[2];
        for (int i = 0; i < count; i++) {
            MPI.COMM_WORLD.Recv(two, 0, 2, MPI.INT, other, TAG);
            require(two[0], i);
        }
    }

    /** Rank 0 begins all, then both meet, then rank 1 receives them in their order. */
    private static void isend(String what, int other, int count) {
        if (MPI.COMM_WORLD.Rank() == 0) {
            if (what.equals("ibsend")) {
                MPI.Buffer_attach(ByteBuffer.allocateDirect(count * (8 + MPI.BSEND_OVERHEAD)));
            }
            Request[] all = new Request[count];
            for (int i = 0; i < count; i++) {
                int[] two = {i, 0};
                all[i] = switch (what) {
                    case "isend" -> MPI.COMM_WORLD.Isend(two, 0, 2, MPI.INT, other, TAG);
                    case "issend" -> MPI.COMM_WORLD.Issend(two, 0, 2, MPI.INT, other, TAG);
                    default -> MPI.COMM_WORLD.Ibsend(two, 0, 2, MPI.INT, other, TAG);
                };
            }
            MPI.COMM_WORLD.Barrier();
            Request.Waitall(all);
            MPI.COMM_WORLD.Send(new int[] {count}, 0, 1, MPI.INT, other, LAST);
        } else {
            MPI.COMM_WORLD.Barrier();
            receive(other, count);
            int[] last = new int[1];
            MPI.COMM_WORLD.Recv(last, 0, 1, MPI.INT, other, LAST);
            require(last[0], count);
        }
    }

    /** Rank 0 asks for all, then both meet, then rank 1 sends them. */
    private static void irecv(int other, int count) {
        int[] value = {0, 0};
        if (MPI.COMM_WORLD.Rank() == 0) {
            int[] all = new int[2 * count];
            Request[] requests = new Request[count];
            for (int i = 0; i < count; i++) {
                requests[i] = MPI.COMM_WORLD.Irecv(all, 2 * i, 2, MPI.INT, other, TAG);
            }
            MPI.COMM_WORLD.Barrier();
            Request.Waitall(requests);
            for (int i = 0; i < count; i++) {
                require(all[2 * i], i);
            }
        } else {
            MPI.COMM_WORLD.Barrier();
            for (int i = 0; i < count; i++) {
                value[0] = i;
                MPI.COMM_WORLD.Send(value, 0, 2, MPI.INT, other, TAG);
            }
        }
    }

    private static void require(int found, int expected) {
        if (found != expected) {
            throw new AssertionError("message " + found + ", expected " + expected);
        }
    }
}
