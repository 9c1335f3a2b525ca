package org.posthouse.examples;

import mpi.MPI;
import mpi.Request;

/**
 * Sends a token from rank to rank, round and round, and measures a hop.
 *
 * <p>Rank 0 stamps the token and sends it off; every other rank waits for it, checks it, stamps it anew and passes it
 * on. Whoever finds a token that is not exactly the one expected counts it; nobody may have counted any at the end.
 * The time of a hop contains the check and the stamp.
 *
 * <p>Arguments: {@code [laps] [payload bytes]}, 100 laps of 1024 bytes if not given.
 */
public final class Ring {

    private static final int ROOT = 0;
    private static final int TAG_TOKEN = 7;
    private static final int PAYLOAD_BYTES_MAX = 256 << 20;

    private Ring() {}

    /** Runs one rank of the job. */
    public static void main(String[] args) {
        String[] words = MPI.Init(args);
        int rank = MPI.COMM_WORLD.Rank();
        int size = MPI.COMM_WORLD.Size();

        int[] shape = new int[2];
        if (rank == ROOT) {
            Arguments given = new Arguments("ring", words);
            shape[0] = (int) given.number(0, "laps", 100, 1, Integer.MAX_VALUE);
            shape[1] = (int) given.number(1, "payload bytes", 1024, 0, PAYLOAD_BYTES_MAX);
        }
        MPI.COMM_WORLD.Bcast(shape, 0, shape.length, MPI.INT, ROOT);
        int laps = shape[0];
        int payloadBytes = shape[1];

        MPI.COMM_WORLD.Barrier();
        double start = MPI.Wtime();
        long[] harmed = {rank == ROOT ? lead(laps, payloadBytes, size) : follow(laps, payloadBytes, rank, size)};
        double seconds = MPI.Wtime() - start;

        long[] harmedInAll = new long[1];
        MPI.COMM_WORLD.Reduce(harmed, 0, harmedInAll, 0, 1, MPI.LONG, MPI.SUM, ROOT);
        if (rank == ROOT) {
            long hops = (long) laps * size;
            Report.line("%d laps, %d ranks, %d payload bytes, %.3f s", laps, size, payloadBytes, seconds);
            Report.line("time per hop: %.2f microseconds", seconds / hops * 1e6);
            Report.line("hops verified: %d of %d", hops - harmedInAll[0], hops);
            Report.verdict(harmedInAll[0] == 0);
        }
        MPI.Finalize();
    }

    /**
     * Rank 0: starts each lap and takes the token in at its end; returns how many came back harmed.
     * Its send is non-blocking: alone in the ring, it is also the one who must receive.
     */
    private static long lead(int laps, int payloadBytes, int size) {
        RingToken leaving = new RingToken(payloadBytes);
        RingToken arriving = new RingToken(payloadBytes);
        int length = leaving.bytes().length;
        long harmed = 0;
        for (long lap = 0; lap < laps; lap++) {
            leaving.stamp(lap * size);
            Request departure = MPI.COMM_WORLD.Isend(leaving.bytes(), 0, length, MPI.BYTE, 1 % size, TAG_TOKEN);
            MPI.COMM_WORLD.Recv(arriving.bytes(), 0, length, MPI.BYTE, size - 1, TAG_TOKEN);
            departure.Wait();
            if (!arriving.isIntact(lap * size + size - 1)) {
                harmed++;
            }
            RingToken previous = leaving;
            leaving = arriving;
            arriving = previous;
        }
        return harmed;
    }

    /** Every other rank: takes the token in and passes it on; returns how many came in harmed. */
    private static long follow(int laps, int payloadBytes, int rank, int size) {
        RingToken token = new RingToken(payloadBytes);
        int length = token.bytes().length;
        int next = (rank + 1) % size;
        long harmed = 0;
        for (long lap = 0; lap < laps; lap++) {
            long hop = lap * size + rank;
            MPI.COMM_WORLD.Recv(token.bytes(), 0, length, MPI.BYTE, rank - 1, TAG_TOKEN);
            if (!token.isIntact(hop - 1)) {
                harmed++;
            }
            token.stamp(hop);
            MPI.COMM_WORLD.Send(token.bytes(), 0, length, MPI.BYTE, next, TAG_TOKEN);
        }
        return harmed;
    }
}
