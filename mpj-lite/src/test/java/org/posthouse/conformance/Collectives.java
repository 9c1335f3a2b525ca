package org.posthouse.conformance;

import mpi.Intracomm;
import mpi.MPI;

/** Collectives in mpiJava's spelling. */
final class Collectives {
    private static final int COUNT = CollectiveRules.COUNT;

    private Collectives() {}

    private static CollectiveRules rules(Intracomm world) {
        return new CollectiveRules(world, 1);
    }

    static void barrier(Intracomm world) {
        rules(world).barrier(() -> world.Barrier());
    }

    static void bcast(Intracomm world) {
        rules(world).bcast((buffer, root) -> world.Bcast(buffer, 1, COUNT, MPI.INT, root));
    }

    static void gather(Intracomm world) {
        rules(world).gather((send, receive, root) -> world.Gather(send, 1, COUNT, MPI.INT, receive, 1, COUNT, MPI.INT, root));
    }

    static void scatter(Intracomm world) {
        rules(world).scatter((send, receive, root) -> world.Scatter(send, 1, COUNT, MPI.INT, receive, 1, COUNT, MPI.INT, root));
    }

    static void gatherv(Intracomm world) {
        int own = CollectiveRules.counts(world.Size())[world.Rank()];
        rules(world).gatherv((send, receive, counts, displs, root) -> world.Gatherv(send, 1, own, MPI.INT, receive, 1, counts, displs, MPI.INT, root));
    }

    static void scatterv(Intracomm world) {
        int own = CollectiveRules.counts(world.Size())[world.Rank()];
        rules(world).scatterv((send, receive, counts, displs, root) -> world.Scatterv(send, 1, counts, displs, MPI.INT, receive, 1, own, MPI.INT, root));
    }

    static void allgather(Intracomm world) {
        rules(world).allgather((send, receive, root) -> world.Allgather(send, 1, COUNT, MPI.INT, receive, 1, COUNT, MPI.INT));
    }

    static void alltoall(Intracomm world) {
        rules(world).alltoall((send, receive, root) -> world.Alltoall(send, 1, COUNT, MPI.INT, receive, 1, COUNT, MPI.INT));
    }

    static void allgatherv(Intracomm world) {
        int own = CollectiveRules.counts(world.Size())[world.Rank()];
        rules(world).allgatherv((send, receive, counts, displs, root) -> world.Allgatherv(send, 1, own, MPI.INT, receive, 1, counts, displs, MPI.INT));
    }

    static void alltoallv(Intracomm world) {
        rules(world).alltoallv((send, scounts, sdispls, receive, rcounts, rdispls) -> world.Alltoallv(send, 1, scounts, sdispls, MPI.INT, receive, 1, rcounts,
                rdispls, MPI.INT));
    }

    static void reduce(Intracomm world) {
        rules(world).reduce((send, receive, root) -> world.Reduce(send, 1, receive, 1, COUNT, MPI.INT, MPI.SUM, root));
    }

    static void allreduce(Intracomm world) {
        rules(world).allreduce((send, receive, root) -> world.Allreduce(send, 1, receive, 1, COUNT, MPI.INT, MPI.SUM));
    }

    static void scan(Intracomm world) {
        rules(world).scan((send, receive, root) -> world.Scan(send, 1, receive, 1, COUNT, MPI.INT, MPI.SUM));
    }

    static void exscan(Intracomm world) {
        rules(world).exscan((send, receive, root) -> world.Exscan(send, 1, receive, 1, COUNT, MPI.INT, MPI.SUM));
    }

    static void reduceScatter(Intracomm world) {
        rules(world).reduceScatter((send, receive, counts, displs, root) -> world.Reduce_scatter(send, 1, receive, 1, counts, MPI.INT, MPI.SUM));
    }

    static void reduceScatterBlock(Intracomm world) {
        rules(world).reduceScatterBlock((send, receive, root) -> world.Reduce_scatter_block(send, 1, receive, 1, COUNT, MPI.INT, MPI.SUM));
    }
}
