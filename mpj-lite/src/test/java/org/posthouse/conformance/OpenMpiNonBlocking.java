package org.posthouse.conformance;

import mpi.Intracomm;
import mpi.MPI;

/** Non-blocking collectives in Open MPI's spelling. */
final class OpenMpiNonBlocking {
    private static final int COUNT = CollectiveRules.COUNT;

    private OpenMpiNonBlocking() {}

    private static CollectiveRules rules(Intracomm world) {
        return new CollectiveRules(world, 0);
    }

    static void barrier(Intracomm world) {
        rules(world).barrier(() -> world.iBarrier().waitFor());
    }

    static void bcast(Intracomm world) {
        rules(world).bcast((buffer, root) -> world.iBcast(buffer, COUNT, MPI.INT, root).waitFor());
    }

    static void gather(Intracomm world) {
        rules(world).gather((send, receive, root) -> world.iGather(send, COUNT, MPI.INT, receive, COUNT, MPI.INT, root).waitFor());
    }

    static void scatter(Intracomm world) {
        rules(world).scatter((send, receive, root) -> world.iScatter(send, COUNT, MPI.INT, receive, COUNT, MPI.INT, root).waitFor());
    }

    static void gatherv(Intracomm world) {
        int own = CollectiveRules.counts(world.Size())[world.Rank()];
        rules(world).gatherv((send, receive, counts, displs, root) -> world.iGatherv(send, own, MPI.INT, receive, counts, displs, MPI.INT, root).waitFor());
    }

    static void scatterv(Intracomm world) {
        int own = CollectiveRules.counts(world.Size())[world.Rank()];
        rules(world).scatterv((send, receive, counts, displs, root) -> world.iScatterv(send, counts, displs, MPI.INT, receive, own, MPI.INT, root).waitFor());
    }

    static void allGather(Intracomm world) {
        rules(world).allgather((send, receive, root) -> world.iAllGather(send, COUNT, MPI.INT, receive, COUNT, MPI.INT).waitFor());
    }

    static void allToAll(Intracomm world) {
        rules(world).alltoall((send, receive, root) -> world.iAllToAll(send, COUNT, MPI.INT, receive, COUNT, MPI.INT).waitFor());
    }

    static void allGatherv(Intracomm world) {
        int own = CollectiveRules.counts(world.Size())[world.Rank()];
        rules(world).allgatherv((send, receive, counts, displs, root) -> world.iAllGatherv(send, own, MPI.INT, receive, counts, displs, MPI.INT).waitFor());
    }

    static void allToAllv(Intracomm world) {
        rules(world).alltoallv((send, scounts, sdispls, receive, rcounts, rdispls) -> world
                .iAllToAllv(send, scounts, sdispls, MPI.INT, receive, rcounts, rdispls, MPI.INT).waitFor());
    }

    static void reduce(Intracomm world) {
        rules(world).reduce((send, receive, root) -> world.iReduce(send, receive, COUNT, MPI.INT, MPI.SUM, root).waitFor());
    }

    static void allReduce(Intracomm world) {
        rules(world).allreduce((send, receive, root) -> world.iAllReduce(send, receive, COUNT, MPI.INT, MPI.SUM).waitFor());
    }

    static void scan(Intracomm world) {
        rules(world).scan((send, receive, root) -> world.iScan(send, receive, COUNT, MPI.INT, MPI.SUM).waitFor());
    }

    static void exScan(Intracomm world) {
        rules(world).exscan((send, receive, root) -> world.iExScan(send, receive, COUNT, MPI.INT, MPI.SUM).waitFor());
    }

    static void reduceScatter(Intracomm world) {
        rules(world).reduceScatter((send, receive, counts, displs, root) -> world.iReduceScatter(send, receive, counts, MPI.INT, MPI.SUM).waitFor());
    }

    static void reduceScatterBlock(Intracomm world) {
        rules(world).reduceScatterBlock((send, receive, root) -> world.iReduceScatterBlock(send, receive, COUNT, MPI.INT, MPI.SUM).waitFor());
    }
}
