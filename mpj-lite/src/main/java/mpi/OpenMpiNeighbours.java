package mpi;

/**
 * Open MPI's collectives between neighbours in a topology (MPI-3.1, 7.6), and Alltoallw. Neighbours come in the order of
 * a Cartesian grid's dimensions, the one below before the one above, or in that of the graph's edges. A block for
 * {@link MPI#PROC_NULL} is neither read nor written.
 */
abstract class OpenMpiNeighbours extends OpenMpiBackground {
    OpenMpiNeighbours(OwnProcess self, Group group, Group addressed, int id, String name) {
        super(self, group, addressed, id, name);
    }

    /** Gives the same elements to each neighbour, and gets a block of {@code recvcount} from each. */
    public void neighborAllGather(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount, Datatype recvtype)
            throws MPIException {
        BufferView.run(sendbuf, sendtype, recvbuf, recvtype, (from, to) -> collectives.neighbourAllgather(
                "neighborAllGather", new Elements(from, 0, sendcount, sendtype), RankBlocks.even(to, 0, recvcount, recvtype)));
    }

    /** Starts {@link #neighborAllGather}. */
    public Request iNeighborAllGather(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount, Datatype recvtype)
            throws MPIException {
        return collectives.neighbourAllgather(
                "iNeighborAllGather", new Elements(sendbuf, 0, sendcount, sendtype), RankBlocks.even(recvbuf, 0, recvcount, recvtype)).start();
    }

    /** As {@link #neighborAllGather}, with a count and a displacement for each source. */
    public void neighborAllGatherv(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int[] recvcounts, int[] displs,
            Datatype recvtype)
            throws MPIException {
        BufferView.run(sendbuf, sendtype, recvbuf, recvtype, (from, to) -> collectives.neighbourAllgather(
                "neighborAllGatherv", new Elements(from, 0, sendcount, sendtype), RankBlocks.at(to, 0, recvcounts, displs, recvtype)));
    }

    /** Starts {@link #neighborAllGatherv}. */
    public Request iNeighborAllGatherv(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int[] recvcounts, int[] displs,
            Datatype recvtype)
            throws MPIException {
        return collectives.neighbourAllgather(
                "iNeighborAllGatherv", new Elements(sendbuf, 0, sendcount, sendtype),
                RankBlocks.at(recvbuf, 0, recvcounts, displs, recvtype)).start();
    }

    /** Gives a block of {@code sendcount} to each neighbour, and gets one of {@code recvcount} from each. */
    public void neighborAllToAll(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount, Datatype recvtype)
            throws MPIException {
        BufferView.run(sendbuf, sendtype, recvbuf, recvtype,
                (from, to) -> collectives.neighbourAlltoall(
                        "neighborAllToAll", RankBlocks.even(from, 0, sendcount, sendtype), RankBlocks.even(to, 0, recvcount, recvtype)));
    }

    /** Starts {@link #neighborAllToAll}. */
    public Request iNeighborAllToAll(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount, Datatype recvtype)
            throws MPIException {
        return collectives.neighbourAlltoall(
                "iNeighborAllToAll", RankBlocks.even(sendbuf, 0, sendcount, sendtype), RankBlocks.even(recvbuf, 0, recvcount, recvtype)).start();
    }

    /** As {@link #neighborAllToAll}, with counts and displacements. */
    public void neighborAllToAllv(
            Object sendbuf, int[] sendcounts, int[] sdispls, Datatype sendtype, Object recvbuf, int[] recvcounts,
            int[] rdispls, Datatype recvtype)
            throws MPIException {
        BufferView.run(sendbuf, sendtype, recvbuf, recvtype, (from, to) -> collectives.neighbourAlltoall(
                "neighborAllToAllv", RankBlocks.at(from, 0, sendcounts, sdispls, sendtype), RankBlocks.at(to, 0, recvcounts, rdispls, recvtype)));
    }

    /** Starts {@link #neighborAllToAllv}. */
    public Request iNeighborAllToAllv(
            Object sendbuf, int[] sendcounts, int[] sdispls, Datatype sendtype, Object recvbuf, int[] recvcounts,
            int[] rdispls, Datatype recvtype)
            throws MPIException {
        return collectives.neighbourAlltoall(
                "iNeighborAllToAllv", RankBlocks.at(sendbuf, 0, sendcounts, sdispls, sendtype),
                RankBlocks.at(recvbuf, 0, recvcounts, rdispls, recvtype)).start();
    }

    /** A block to each rank and one from each, of any datatypes; displacements in bytes. */
    public void allToAllw(
            Object sendbuf, int[] sendcounts, int[] sdispls, Datatype[] sendtypes, Object recvbuf, int[] recvcounts,
            int[] rdispls, Datatype[] recvtypes)
            throws MPIException {
        collectives.alltoallw(
                "allToAllw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes).run();
    }

    /** Starts {@link #allToAllw}. */
    public Request iAllToAllw(
            Object sendbuf, int[] sendcounts, int[] sdispls, Datatype[] sendtypes, Object recvbuf, int[] recvcounts,
            int[] rdispls, Datatype[] recvtypes)
            throws MPIException {
        return collectives.alltoallw(
                "iAllToAllw", sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes).start();
    }
}
