package mpi;

/**
 * Non-blocking collectives in Open MPI's spelling. The buffers must not be used before the request is complete. Where
 * Open MPI takes only direct NIO buffers, arrays and heap buffers do as well.
 */
abstract class OpenMpiBackground extends OpenMpiCollectives {
    OpenMpiBackground(OwnProcess self, Group group, Group addressed, int id, String name) {
        super(self, group, addressed, id, name);
    }

    /** Starts {@link #barrier}. */
    public Request iBarrier() throws MPIException {
        return collectives.barrier("iBarrier").start();
    }

    /** Starts {@link #bcast}. */
    public Request iBcast(Object buf, int count, Datatype type, int root) throws MPIException {
        return collectives.bcast("iBcast", new Elements(buf, 0, count, type), root).start();
    }

    /** Starts {@link #gather}. */
    public Request iGather(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount, Datatype recvtype,
            int root)
            throws MPIException {
        return collectives.gather(
                "iGather", new Elements(sendbuf, 0, sendcount, sendtype), RankBlocks.even(recvbuf, 0, recvcount, recvtype), root).start();
    }

    /** Starts {@link #gatherv}. */
    public Request iGatherv(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int[] recvcounts, int[] displs,
            Datatype recvtype, int root)
            throws MPIException {
        return collectives.gather(
                "iGatherv", new Elements(sendbuf, 0, sendcount, sendtype), RankBlocks.at(recvbuf, 0, recvcounts, displs, recvtype), root).start();
    }

    /** Starts {@link #scatter}. */
    public Request iScatter(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount, Datatype recvtype,
            int root)
            throws MPIException {
        return collectives.scatter(
                "iScatter", RankBlocks.even(sendbuf, 0, sendcount, sendtype), new Elements(recvbuf, 0, recvcount, recvtype), root).start();
    }

    /** Starts {@link #scatterv}. */
    public Request iScatterv(
            Object sendbuf, int[] sendcounts, int[] displs, Datatype sendtype, Object recvbuf, int recvcount,
            Datatype recvtype, int root)
            throws MPIException {
        return collectives.scatter(
                "iScatterv", RankBlocks.at(sendbuf, 0, sendcounts, displs, sendtype), new Elements(recvbuf, 0, recvcount, recvtype), root).start();
    }

    /** Starts {@link #allGather}. */
    public Request iAllGather(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount, Datatype recvtype)
            throws MPIException {
        return collectives.allgather(
                "iAllGather", new Elements(sendbuf, 0, sendcount, sendtype), RankBlocks.even(recvbuf, 0, recvcount, recvtype)).start();
    }

    /** Starts {@link #allGatherv}. */
    public Request iAllGatherv(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int[] recvcounts, int[] displs,
            Datatype recvtype)
            throws MPIException {
        return collectives.allgather(
                "iAllGatherv", new Elements(sendbuf, 0, sendcount, sendtype), RankBlocks.at(recvbuf, 0, recvcounts, displs, recvtype)).start();
    }

    /** Starts {@link #allToAll}. */
    public Request iAllToAll(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount, Datatype recvtype)
            throws MPIException {
        return collectives.alltoall(
                "iAllToAll", RankBlocks.even(sendbuf, 0, sendcount, sendtype), RankBlocks.even(recvbuf, 0, recvcount, recvtype)).start();
    }

    /** Starts {@link #allToAllv}. */
    public Request iAllToAllv(
            Object sendbuf, int[] sendcounts, int[] sdispls, Datatype sendtype, Object recvbuf, int[] recvcounts,
            int[] rdispls, Datatype recvtype)
            throws MPIException {
        return collectives.alltoall(
                "iAllToAllv", RankBlocks.at(sendbuf, 0, sendcounts, sdispls, sendtype),
                RankBlocks.at(recvbuf, 0, recvcounts, rdispls, recvtype)).start();
    }

    /** Starts {@link #reduce}. */
    public Request iReduce(Object sendbuf, Object recvbuf, int count, Datatype type, Op op, int root)
            throws MPIException {
        return collectives.reduce("iReduce", new Elements(sendbuf, 0, count, type), new Elements(recvbuf, 0, count, type), op, root).start();
    }

    /** Starts {@link #allReduce}. */
    public Request iAllReduce(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) throws MPIException {
        return collectives.allreduce("iAllReduce", new Elements(sendbuf, 0, count, type), new Elements(recvbuf, 0, count, type), op).start();
    }

    /** Starts {@link #reduceScatter}. */
    public Request iReduceScatter(Object sendbuf, Object recvbuf, int[] recvcounts, Datatype type, Op op)
            throws MPIException {
        return collectives.reduceScatter("iReduceScatter", sendbuf, 0, recvbuf, 0, recvcounts, type, op).start();
    }

    /** Starts {@link #reduceScatterBlock}. */
    public Request iReduceScatterBlock(Object sendbuf, Object recvbuf, int recvcount, Datatype type, Op op)
            throws MPIException {
        return collectives.reduceScatterBlock("iReduceScatterBlock", sendbuf, 0, new Elements(recvbuf, 0, recvcount, type), op).start();
    }

    // ---- in place

    /** Starts the in-place form of {@link #gather}. */
    public Request iGather(Object buf, int count, Datatype type, int root) throws MPIException {
        return collectives.gatherInPlace("iGather", buf, count, type, root).start();
    }

    /** Starts the in-place form of {@link #gatherv}. */
    public Request iGatherv(Object recvbuf, int[] recvcounts, int[] displs, Datatype recvtype, int root)
            throws MPIException {
        return collectives.gathervInPlace("iGatherv", RankBlocks.at(recvbuf, 0, recvcounts, displs, recvtype), root).start();
    }

    /** Starts the in-place form of {@link #gatherv}. */
    public Request iGatherv(Object sendbuf, int sendcount, Datatype sendtype, int root) throws MPIException {
        return collectives.gathervToRoot("iGatherv", new Elements(sendbuf, 0, sendcount, sendtype), root).start();
    }

    /** Starts the in-place form of {@link #scatter}. */
    public Request iScatter(Object buf, int count, Datatype type, int root) throws MPIException {
        return collectives.scatterInPlace("iScatter", buf, count, type, root).start();
    }

    /** Starts the in-place form of {@link #scatterv}. */
    public Request iScatterv(Object sendbuf, int[] sendcounts, int[] displs, Datatype sendtype, int root)
            throws MPIException {
        return collectives.scattervInPlace("iScatterv", RankBlocks.at(sendbuf, 0, sendcounts, displs, sendtype), root).start();
    }

    /** Starts the in-place form of {@link #scatterv}. */
    public Request iScatterv(Object recvbuf, int recvcount, Datatype recvtype, int root) throws MPIException {
        return collectives.scattervFromRoot("iScatterv", new Elements(recvbuf, 0, recvcount, recvtype), root).start();
    }

    /** Starts the in-place form of {@link #allGather}. */
    public Request iAllGather(Object buf, int count, Datatype type) throws MPIException {
        return collectives.allgatherInPlace("iAllGather", RankBlocks.even(buf, 0, count, type)).start();
    }

    /** Starts the in-place form of {@link #allGatherv}. */
    public Request iAllGatherv(Object recvbuf, int[] recvcounts, int[] displs, Datatype recvtype) throws MPIException {
        return collectives.allgatherInPlace("iAllGatherv", RankBlocks.at(recvbuf, 0, recvcounts, displs, recvtype)).start();
    }

    /** Starts the in-place form of {@link #reduce}. */
    public Request iReduce(Object buf, int count, Datatype type, Op op, int root) throws MPIException {
        return collectives.reduce("iReduce", new Elements(buf, 0, count, type), new Elements(buf, 0, count, type), op, root).start();
    }

    /** Starts the in-place form of {@link #allReduce}. */
    public Request iAllReduce(Object buf, int count, Datatype type, Op op) throws MPIException {
        return collectives.allreduce("iAllReduce", new Elements(buf, 0, count, type), new Elements(buf, 0, count, type), op).start();
    }

    /** Starts the in-place form of {@link #reduceScatter}. */
    public Request iReduceScatter(Object buf, int[] counts, Datatype type, Op op) throws MPIException {
        return collectives.reduceScatter("iReduceScatter", buf, 0, buf, 0, counts, type, op).start();
    }

    /** Starts the in-place form of {@link #reduceScatterBlock}. */
    public Request iReduceScatterBlock(Object buf, int count, Datatype type, Op op) throws MPIException {
        return collectives.reduceScatterBlock("iReduceScatterBlock", buf, 0, new Elements(buf, 0, count, type), op).start();
    }
}
