package org.posthouse.conformance;

import mpi.Intracomm;
import mpi.MPI;

/** Open MPI's collectives with one buffer, blocking and not. */
final class OpenMpiInPlace {
    private static final int COUNT = CollectiveRules.COUNT;

    private OpenMpiInPlace() {}

    private static CollectiveRules rules(Intracomm world) {
        return new CollectiveRules(world, 0);
    }

    static void gather(Intracomm world) {
        rules(world).gatherInPlace((buffer, root) -> world.gather(buffer, COUNT, MPI.INT, root));
    }

    static void scatter(Intracomm world) {
        rules(world).scatterInPlace((buffer, root) -> world.scatter(buffer, COUNT, MPI.INT, root));
    }

    static void allGather(Intracomm world) {
        rules(world).allgatherInPlace((buffer, root) -> world.allGather(buffer, COUNT, MPI.INT));
    }

    static void gatherv(Intracomm world) {
        int own = CollectiveRules.counts(world.Size())[world.Rank()];
        rules(world).gathervInPlace(
                (send, receive, counts, displs, root) -> world.gatherv(receive, counts, displs, MPI.INT, root),
                (buffer, root) -> world.gatherv(buffer, own, MPI.INT, root));
    }

    static void scatterv(Intracomm world) {
        int own = CollectiveRules.counts(world.Size())[world.Rank()];
        rules(world).scattervInPlace(
                (send, receive, counts, displs, root) -> world.scatterv(send, counts, displs, MPI.INT, root),
                (buffer, root) -> world.scatterv(buffer, own, MPI.INT, root));
    }

    static void allGatherv(Intracomm world) {
        rules(world).allgathervInPlace((send, receive, counts, displs, root) -> world.allGatherv(receive, counts, displs, MPI.INT));
    }

    static void reduce(Intracomm world) {
        rules(world).reduceInPlace((buffer, root) -> world.reduce(buffer, COUNT, MPI.INT, MPI.SUM, root));
    }

    static void allReduce(Intracomm world) {
        rules(world).allreduceInPlace((buffer, root) -> world.allReduce(buffer, COUNT, MPI.INT, MPI.SUM));
    }

    static void scan(Intracomm world) {
        rules(world).scanInPlace((buffer, root) -> world.scan(buffer, COUNT, MPI.INT, MPI.SUM));
    }

    static void exScan(Intracomm world) {
        rules(world).exscanInPlace((buffer, root) -> world.exScan(buffer, COUNT, MPI.INT, MPI.SUM));
    }

    static void reduceScatterBlock(Intracomm world) {
        rules(world).reduceScatterBlockInPlace((buffer, root) -> world.reduceScatterBlock(buffer, COUNT, MPI.INT, MPI.SUM));
    }

    static void reduceScatter(Intracomm world) {
        rules(world).reduceScatterInPlace((send, receive, counts, displs, root) -> world.reduceScatter(receive, counts, MPI.INT, MPI.SUM));
    }

    static void iGather(Intracomm world) {
        rules(world).gatherInPlace((buffer, root) -> world.iGather(buffer, COUNT, MPI.INT, root).waitFor());
    }

    static void iScatter(Intracomm world) {
        rules(world).scatterInPlace((buffer, root) -> world.iScatter(buffer, COUNT, MPI.INT, root).waitFor());
    }

    static void iAllGather(Intracomm world) {
        rules(world).allgatherInPlace((buffer, root) -> world.iAllGather(buffer, COUNT, MPI.INT).waitFor());
    }

    static void iGatherv(Intracomm world) {
        int own = CollectiveRules.counts(world.Size())[world.Rank()];
        rules(world).gathervInPlace(
                (send, receive, counts, displs, root) -> world.iGatherv(receive, counts, displs, MPI.INT, root).waitFor(),
                (buffer, root) -> world.iGatherv(buffer, own, MPI.INT, root).waitFor());
    }

    static void iScatterv(Intracomm world) {
        int own = CollectiveRules.counts(world.Size())[world.Rank()];
        rules(world).scattervInPlace(
                (send, receive, counts, displs, root) -> world.iScatterv(send, counts, displs, MPI.INT, root).waitFor(),
                (buffer, root) -> world.iScatterv(buffer, own, MPI.INT, root).waitFor());
    }

    static void iAllGatherv(Intracomm world) {
        rules(world).allgathervInPlace((send, receive, counts, displs, root) -> world.iAllGatherv(receive, counts, displs, MPI.INT).waitFor());
    }

    static void iReduce(Intracomm world) {
        rules(world).reduceInPlace((buffer, root) -> world.iReduce(buffer, COUNT, MPI.INT, MPI.SUM, root).waitFor());
    }

    static void iAllReduce(Intracomm world) {
        rules(world).allreduceInPlace((buffer, root) -> world.iAllReduce(buffer, COUNT, MPI.INT, MPI.SUM).waitFor());
    }

    static void iScan(Intracomm world) {
        rules(world).scanInPlace((buffer, root) -> world.iScan(buffer, COUNT, MPI.INT, MPI.SUM).waitFor());
    }

    static void iExScan(Intracomm world) {
        rules(world).exscanInPlace((buffer, root) -> world.iExScan(buffer, COUNT, MPI.INT, MPI.SUM).waitFor());
    }

    static void iReduceScatterBlock(Intracomm world) {
        rules(world).reduceScatterBlockInPlace((buffer, root) -> world.iReduceScatterBlock(buffer, COUNT, MPI.INT, MPI.SUM).waitFor());
    }

    static void iReduceScatter(Intracomm world) {
        rules(world).reduceScatterInPlace((send, receive, counts, displs, root) -> world.iReduceScatter(receive, counts, MPI.INT, MPI.SUM).waitFor());
    }
}
