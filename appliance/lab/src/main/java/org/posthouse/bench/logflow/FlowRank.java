package org.posthouse.bench.logflow;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import mpi.Checkpoint;
import mpi.MPI;
import mpi.Request;

/**
 * The program of both ranks of {@code bench logflow}. In every round each rank sends the other a window of messages,
 * checks every byte that it receives, and then has a safe point. Argument: the number of rounds.
 */
public final class FlowRank {
    private static final int TAG = 7;
    private static final long SEED = 42;

    /** Messages begin at so many places of the pattern, in turn: a prime, so that no count of messages hides a wrong one. */
    private static final int PLACES = 4093;

    private final byte[] pattern = new byte[FlowPlan.MESSAGE_BYTES + PLACES];
    private final byte[] sent = new byte[FlowPlan.WINDOW * FlowPlan.MESSAGE_BYTES];
    private final byte[] received = new byte[sent.length];
    private final byte[] expected = new byte[sent.length];
    private final Request[] requests = new Request[2 * FlowPlan.WINDOW];
    private final int rank = MPI.COMM_WORLD.Rank();
    private final int other = 1 - rank;

    private FlowRank() {
        new Random(SEED).nextBytes(pattern);
    }

    public static void main(String[] args) {
        String[] own = MPI.Init(args);
        long rounds = Long.parseLong(own[0]);
        FlowRank flow = new FlowRank();
        Checkpoint checkpoint = Checkpoint.open();
        Checkpoint.Value<Long> round = checkpoint.register("round", 0L);
        checkpoint.restored();
        while (round.get() < rounds) {
            flow.exchange(round.get());
            round.set(round.get() + 1);
            checkpoint.point();
        }
        MPI.Finalize();
    }

    private void exchange(long round) {
        fill(sent, rank, round);
        for (int i = 0; i < FlowPlan.WINDOW; i++) {
            int at = i * FlowPlan.MESSAGE_BYTES;
            requests[i] = MPI.COMM_WORLD.Irecv(received, at, FlowPlan.MESSAGE_BYTES, MPI.BYTE, other, TAG);
            requests[FlowPlan.WINDOW + i] = MPI.COMM_WORLD.Isend(sent, at, FlowPlan.MESSAGE_BYTES, MPI.BYTE, other, TAG);
        }
        Request.Waitall(requests);
        fill(expected, other, round);
        int at = Arrays.mismatch(received, expected);
        if (at >= 0) {
            throw new IllegalStateException("rank " + rank + ", round " + round + ": byte " + at + " is " + received[at] + ", expected "
                    + expected[at]);
        }
    }

    /** Each message says whose it is, and which, and is not like its neighbours. */
    private void fill(byte[] window, int from, long round) {
        for (int i = 0; i < FlowPlan.WINDOW; i++) {
            long number = (round * FlowPlan.WINDOW + i) * FlowPlan.RANKS + from;
            int at = i * FlowPlan.MESSAGE_BYTES;
            System.arraycopy(pattern, (int) (number % PLACES), window, at, FlowPlan.MESSAGE_BYTES);
            ByteBuffer.wrap(window).putLong(at, number);
        }
    }
}
