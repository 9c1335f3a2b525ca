package org.posthouse.conformance;

import mpi.Intracomm;
import mpi.MPI;

/** Collectives in Open MPI's spelling. */
final class OpenMpiCollectives {
    private static final int COUNT = CollectiveRules.COUNT;

    private OpenMpiCollectives() {}

    private static CollectiveRules rules(Intracomm world) {
        return new CollectiveRules(world, 0);
    }

    static void barrier(Intracomm world) {
        rules(world).barrier(() -> world.barrier());
    }

    static void bcast(Intracomm world) {
        rules(world).bcast((buffer, root) -> world.bcast(buffer, COUNT, MPI.INT, root));
    }

    static void gather(Intracomm world) {
        rules(world).gather((send, receive, root) -> world.gather(send, COUNT, MPI.INT, receive, COUNT, MPI.INT, root));
    }

    static void scatter(Intracomm world) {
        rules(world).scatter((send, receive, root) -> world.scatter(send, COUNT, MPI.INT, receive, COUNT, MPI.INT, root));
    }

    static void gatherv(Intracomm world) {
        int own = CollectiveRules.counts(world.Size())[world.Rank()];
        rules(world).gatherv((send, receive, counts, displs, root) -> world.gatherv(send, own, MPI.INT, receive, counts, displs, MPI.INT, root));
    }

    static void scatterv(Intracomm world) {
        int own = CollectiveRules.counts(world.Size())[world.Rank()];
        rules(world).scatterv((send, receive, counts, displs, root) -> world.scatterv(send, counts, displs, MPI.INT, receive, own, MPI.INT, root));
    }

    static void allGather(Intracomm world) {
        rules(world).allgather((send, receive, root) -> world.allGather(send, COUNT, MPI.INT, receive, COUNT, MPI.INT));
    }

    static void allToAll(Intracomm world) {
        rules(world).alltoall((send, receive, root) -> world.allToAll(send, COUNT, MPI.INT, receive, COUNT, MPI.INT));
    }

    static void allGatherv(Intracomm world) {
        int own = CollectiveRules.counts(world.Size())[world.Rank()];
        rules(world).allgatherv((send, receive, counts, displs, root) -> world.allGatherv(send, own, MPI.INT, receive, counts, displs, MPI.INT));
    }

    static void allToAllv(Intracomm world) {
        rules(world).alltoallv(
                (send, scounts, sdispls, receive, rcounts, rdispls) -> world.allToAllv(send, scounts, sdispls, MPI.INT, receive, rcounts, rdispls, MPI.INT));
    }

    static void reduce(Intracomm world) {
        rules(world).reduce((send, receive, root) -> world.reduce(send, receive, COUNT, MPI.INT, MPI.SUM, root));
    }

    static void allReduce(Intracomm world) {
        rules(world).allreduce((send, receive, root) -> world.allReduce(send, receive, COUNT, MPI.INT, MPI.SUM));
    }

    static void scan(Intracomm world) {
        rules(world).scan((send, receive, root) -> world.scan(send, receive, COUNT, MPI.INT, MPI.SUM));
    }

    static void exScan(Intracomm world) {
        rules(world).exscan((send, receive, root) -> world.exScan(send, receive, COUNT, MPI.INT, MPI.SUM));
    }

    static void reduceScatter(Intracomm world) {
        rules(world).reduceScatter((send, receive, counts, displs, root) -> world.reduceScatter(send, receive, counts, MPI.INT, MPI.SUM));
    }

    static void reduceScatterBlock(Intracomm world) {
        rules(world).reduceScatterBlock((send, receive, root) -> world.reduceScatterBlock(send, receive, COUNT, MPI.INT, MPI.SUM));
    }
}
