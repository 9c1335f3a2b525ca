package org.posthouse.bench.rank;

import mpi.Intracomm;
import mpi.MPI;
import mpi.Request;
import org.posthouse.bench.rank.ByteOperation.Call;
import org.posthouse.bench.rank.ByteOperation.Rule;

/** The table of the tests as a rank does them: which call, on how many blocks of X bytes, and what must come of it. */
final class Operations {
    private static final int TAG = 3;

    private final Intracomm world = MPI.COMM_WORLD;
    private final int rank = world.Rank();
    private final int ranks = world.Size();
    private final int right = (rank + 1) % ranks;
    private final int left = (rank + ranks - 1) % ranks;
    private final RankPair rankPair;
    private final int window;
    private final int rounds;

    /** @param window most messages under way at once in a stream @param rounds factor from these to all its messages */
    Operations(RankPair rankPair, int window, int rounds) {
        this.rankPair = rankPair;
        this.window = window;
        this.rounds = rounds;
    }

    /** The operation of a phase's test, carrier and size, with fresh buffers. */
    BenchOperation of(Phase phase) {
        int x = phase.bytes();
        return switch (phase.test()) {
            case PINGPONG -> new PingPong(rankPair.transport(phase.carrier()), rank, rankPair.peer(), x);
            case STREAM -> stream(phase, rank < rankPair.peer());
            case PINGPING -> pingPing(x, rankPair.peer());
            case SENDRECV -> ofAll(x, 1, 1, sendrecv(x), (at, i) -> BenchOperation.content(left, at));
            case EXCHANGE -> ofAll(x, 1, 2, exchange(x), (at, i) -> BenchOperation.content(at < x ? left : right, at % x));
            case BCAST -> new ByteOperation(rank, x, x, true, bcast(x), i -> rank == root(i) ? 0 : x,
                    (at, i) -> BenchOperation.content(root(i), at));
            case GATHER -> new ByteOperation(rank, x, ranks * x, true, gather(x), i -> rank == root(i) ? ranks * x : 0,
                    (at, i) -> BenchOperation.content(at / x, at % x));
            case SCATTER -> ofAll(x, ranks, 1, scatter(x), (at, i) -> BenchOperation.content(root(i), rank * x + at));
            case ALLGATHER -> ofAll(x, 1, ranks, allgather(x), (at, i) -> BenchOperation.content(at / x, at % x));
            case ALLTOALL -> ofAll(x, ranks, ranks, alltoall(x), (at, i) -> BenchOperation.content(at / x, rank * x + at % x));
            case REDUCE -> new FloatSum(rank, ranks, x, false);
            case ALLREDUCE -> new FloatSum(rank, ranks, x, true);
            case BARRIER -> ofAll(0, 1, 1, (out, in, i) -> world.Barrier(), (at, i) -> 0);
        };
    }

    private int root(int iteration) {
        return iteration % ranks;
    }

    /** An operation in which every rank fills its whole receive buffer and every rank's time counts. */
    private BenchOperation ofAll(int x, int outBlocks, int inBlocks, Call call, Rule rule) {
        return new ByteOperation(rank, outBlocks * x, inBlocks * x, true, call, i -> inBlocks * x, rule);
    }

    private BenchOperation stream(Phase phase, boolean first) {
        int messages = Benchmark.window(window, phase.bytes());
        return new Stream(
                rankPair.transport(phase.carrier()), rankPair.transport(phase.carrier()), first, phase.bytes(), messages, rounds);
    }

    private BenchOperation pingPing(int x, int peer) {
        Call call = (out, in, i) -> {
            Request sending = world.Isend(out, 0, x, MPI.BYTE, peer, TAG);
            world.Recv(in, 0, x, MPI.BYTE, peer, TAG);
            sending.Wait();
        };
        return new ByteOperation(rank, x, x, rank < peer, call, i -> x, (at, i) -> BenchOperation.content(peer, at));
    }

    private Call sendrecv(int x) {
        return (out, in, i) -> world.Sendrecv(out, 0, x, MPI.BYTE, right, TAG, in, 0, x, MPI.BYTE, left, TAG);
    }

    private Call exchange(int x) {
        return (out, in, i) -> {
            Request toRight = world.Isend(out, 0, x, MPI.BYTE, right, TAG);
            Request toLeft = world.Isend(out, 0, x, MPI.BYTE, left, TAG);
            world.Recv(in, 0, x, MPI.BYTE, left, TAG);
            world.Recv(in, x, x, MPI.BYTE, right, TAG);
            toRight.Wait();
            toLeft.Wait();
        };
    }

    private Call bcast(int x) {
        return (out, in, i) -> world.Bcast(rank == root(i) ? out : in, 0, x, MPI.BYTE, root(i));
    }

    private Call gather(int x) {
        return (out, in, i) -> world.Gather(out, 0, x, MPI.BYTE, in, 0, x, MPI.BYTE, root(i));
    }

    private Call scatter(int x) {
        return (out, in, i) -> world.Scatter(out, 0, x, MPI.BYTE, in, 0, x, MPI.BYTE, root(i));
    }

    private Call allgather(int x) {
        return (out, in, i) -> world.Allgather(out, 0, x, MPI.BYTE, in, 0, x, MPI.BYTE);
    }

    private Call alltoall(int x) {
        return (out, in, i) -> world.Alltoall(out, 0, x, MPI.BYTE, in, 0, x, MPI.BYTE);
    }
}
