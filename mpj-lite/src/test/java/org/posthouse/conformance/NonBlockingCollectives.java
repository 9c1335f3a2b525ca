package org.posthouse.conformance;

import mpi.Intracomm;
import mpi.MPI;

/** MPI-3's non-blocking collectives in mpiJava's manner. */
final class NonBlockingCollectives {
    private static final int COUNT = CollectiveRules.COUNT;

    private NonBlockingCollectives() {}

    private static CollectiveRules rules(Intracomm world) {
        return new CollectiveRules(world, 1);
    }

    static void barrier(Intracomm world) {
        rules(world).barrier(() -> world.Ibarrier().Wait());
    }

    static void bcast(Intracomm world) {
        rules(world).bcast((buffer, root) -> world.Ibcast(buffer, 1, COUNT, MPI.INT, root).Wait());
    }

    static void gather(Intracomm world) {
        rules(world).gather((send, receive, root) -> world.Igather(send, 1, COUNT, MPI.INT, receive, 1, COUNT, MPI.INT, root).Wait());
    }

    static void scatter(Intracomm world) {
        rules(world).scatter((send, receive, root) -> world.Iscatter(send, 1, COUNT, MPI.INT, receive, 1, COUNT, MPI.INT, root).Wait());
    }

    static void gatherv(Intracomm world) {
        int own = CollectiveRules.counts(world.Size())[world.Rank()];
        rules(world).gatherv((send, receive, counts, displs, root) -> world.Igatherv(send, 1, own, MPI.INT, receive, 1, counts, displs, MPI.INT, root).Wait());
    }

    static void scatterv(Intracomm world) {
        int own = CollectiveRules.counts(world.Size())[world.Rank()];
        rules(world)
                .scatterv((send, receive, counts, displs, root) -> world.Iscatterv(send, 1, counts, displs, MPI.INT, receive, 1, own, MPI.INT, root).Wait());
    }

    static void allgather(Intracomm world) {
        rules(world).allgather((send, receive, root) -> world.Iallgather(send, 1, COUNT, MPI.INT, receive, 1, COUNT, MPI.INT).Wait());
    }

    static void alltoall(Intracomm world) {
        rules(world).alltoall((send, receive, root) -> world.Ialltoall(send, 1, COUNT, MPI.INT, receive, 1, COUNT, MPI.INT).Wait());
    }

    static void allgatherv(Intracomm world) {
        int own = CollectiveRules.counts(world.Size())[world.Rank()];
        rules(world).allgatherv((send, receive, counts, displs, root) -> world.Iallgatherv(send, 1, own, MPI.INT, receive, 1, counts, displs, MPI.INT).Wait());
    }

    static void alltoallv(Intracomm world) {
        rules(world).alltoallv((send, scounts, sdispls, receive, rcounts, rdispls) -> world
                .Ialltoallv(send, 1, scounts, sdispls, MPI.INT, receive, 1, rcounts, rdispls, MPI.INT).Wait());
    }

    static void reduce(Intracomm world) {
        rules(world).reduce((send, receive, root) -> world.Ireduce(send, 1, receive, 1, COUNT, MPI.INT, MPI.SUM, root).Wait());
    }

    static void allreduce(Intracomm world) {
        rules(world).allreduce((send, receive, root) -> world.Iallreduce(send, 1, receive, 1, COUNT, MPI.INT, MPI.SUM).Wait());
    }

    static void scan(Intracomm world) {
        rules(world).scan((send, receive, root) -> world.Iscan(send, 1, receive, 1, COUNT, MPI.INT, MPI.SUM).Wait());
    }

    static void exscan(Intracomm world) {
        rules(world).exscan((send, receive, root) -> world.Iexscan(send, 1, receive, 1, COUNT, MPI.INT, MPI.SUM).Wait());
    }

    static void reduceScatter(Intracomm world) {
        rules(world).reduceScatter((send, receive, counts, displs, root) -> world.Ireduce_scatter(send, 1, receive, 1, counts, MPI.INT, MPI.SUM).Wait());
    }

    static void reduceScatterBlock(Intracomm world) {
        rules(world).reduceScatterBlock((send, receive, root) -> world.Ireduce_scatter_block(send, 1, receive, 1, COUNT, MPI.INT, MPI.SUM).Wait());
    }
}
