package mpi;

/**
 * Collectives of one group in mpiJava's spelling, and MPI-3's non-blocking ones. All ranks make the same calls in the
 * same order. Counts and displacements are in elements of the datatype; arrays of them may be longer than the group. A
 * buffer that has no meaning at a rank is not looked at there, and may be null. Send and receive buffer may be one.
 */
abstract class MpjCollectives extends Comm {
    MpjCollectives(OwnProcess self, Group group, int id, String name) {
        super(self, group, group, id, name);
    }

    /** Blocks until all ranks have called it. */
    public void Barrier() throws MPIException {
        collectives.barrier("Barrier").run();
    }

    /** Copies the root's elements to all ranks. */
    public void Bcast(Object buf, int offset, int count, Datatype datatype, int root) throws MPIException {
        collectives.bcast("Bcast", new Elements(buf, offset, count, datatype), root).run();
    }

    /** Collects the ranks' elements at the root in rank order; {@code recvcount} is that of one rank. */
    public void Gather(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf, int recvoffset,
            int recvcount, Datatype recvtype, int root)
            throws MPIException {
        collectives.gather(
                "Gather", new Elements(sendbuf, sendoffset, sendcount, sendtype),
                RankBlocks.even(recvbuf, recvoffset, recvcount, recvtype), root).run();
    }

    /** As {@link #Gather}, with a count and a displacement for each rank. */
    public void Gatherv(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf, int recvoffset,
            int[] recvcounts, int[] displs, Datatype recvtype, int root)
            throws MPIException {
        collectives.gather(
                "Gatherv", new Elements(sendbuf, sendoffset, sendcount, sendtype),
                RankBlocks.at(recvbuf, recvoffset, recvcounts, displs, recvtype), root).run();
    }

    /** Deals the root's elements out in rank order; {@code sendcount} is that of one rank. */
    public void Scatter(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf, int recvoffset,
            int recvcount, Datatype recvtype, int root)
            throws MPIException {
        collectives.scatter(
                "Scatter", RankBlocks.even(sendbuf, sendoffset, sendcount, sendtype),
                new Elements(recvbuf, recvoffset, recvcount, recvtype), root).run();
    }

    /** As {@link #Scatter}, with a count and a displacement for each rank. */
    public void Scatterv(
            Object sendbuf, int sendoffset, int[] sendcounts, int[] displs, Datatype sendtype, Object recvbuf,
            int recvoffset, int recvcount, Datatype recvtype, int root)
            throws MPIException {
        collectives.scatter(
                "Scatterv", RankBlocks.at(sendbuf, sendoffset, sendcounts, displs, sendtype),
                new Elements(recvbuf, recvoffset, recvcount, recvtype), root).run();
    }

    /** Collects the ranks' elements at every rank in rank order; {@code recvcount} is that of one rank. */
    public void Allgather(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf, int recvoffset,
            int recvcount, Datatype recvtype)
            throws MPIException {
        collectives.allgather(
                "Allgather", new Elements(sendbuf, sendoffset, sendcount, sendtype), RankBlocks.even(recvbuf, recvoffset, recvcount, recvtype)).run();
    }

    /** As {@link #Allgather}, with a count and a displacement for each rank, the same at all ranks. */
    public void Allgatherv(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf, int recvoffset,
            int[] recvcounts, int[] displs, Datatype recvtype)
            throws MPIException {
        collectives.allgather(
                "Allgatherv", new Elements(sendbuf, sendoffset, sendcount, sendtype),
                RankBlocks.at(recvbuf, recvoffset, recvcounts, displs, recvtype)).run();
    }

    /** Sends a block of {@code sendcount} elements to each rank, and receives one from each. */
    public void Alltoall(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf, int recvoffset,
            int recvcount, Datatype recvtype)
            throws MPIException {
        collectives.alltoall(
                "Alltoall", RankBlocks.even(sendbuf, sendoffset, sendcount, sendtype),
                RankBlocks.even(recvbuf, recvoffset, recvcount, recvtype)).run();
    }

    /** As {@link #Alltoall}, with a count and a displacement for each rank. */
    public void Alltoallv(
            Object sendbuf, int sendoffset, int[] sendcounts, int[] sdispls, Datatype sendtype, Object recvbuf,
            int recvoffset, int[] recvcounts, int[] rdispls, Datatype recvtype)
            throws MPIException {
        collectives.alltoall(
                "Alltoallv", RankBlocks.at(sendbuf, sendoffset, sendcounts, sdispls, sendtype),
                RankBlocks.at(recvbuf, recvoffset, recvcounts, rdispls, recvtype)).run();
    }

    /** Combines the ranks' elements with {@code op} at the root. */
    public void Reduce(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype datatype, Op op,
            int root)
            throws MPIException {
        collectives.reduce(
                "Reduce", new Elements(sendbuf, sendoffset, count, datatype), new Elements(recvbuf, recvoffset, count, datatype), op, root).run();
    }

    /** Combines the ranks' elements with {@code op} at every rank; all get the same bits. */
    public void Allreduce(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype datatype, Op op)
            throws MPIException {
        collectives.allreduce(
                "Allreduce", new Elements(sendbuf, sendoffset, count, datatype), new Elements(recvbuf, recvoffset, count, datatype), op).run();
    }

    /** Combines the ranks' elements with {@code op}, and deals the result out: {@code recvcounts[r]} to rank r. */
    public void Reduce_scatter(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int[] recvcounts, Datatype datatype, Op op)
            throws MPIException {
        collectives.reduceScatter("Reduce_scatter", sendbuf, sendoffset, recvbuf, recvoffset, recvcounts, datatype, op).run();
    }

    /** As {@link #Reduce_scatter}, with {@code recvcount} for each rank. */
    public void Reduce_scatter_block(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int recvcount, Datatype datatype, Op op)
            throws MPIException {
        collectives.reduceScatterBlock("Reduce_scatter_block", sendbuf, sendoffset, new Elements(recvbuf, recvoffset, recvcount, datatype), op).run();
    }

    /** Combines with {@code op} the elements of all ranks up to and with the calling one. */
    public void Scan(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype datatype, Op op)
            throws MPIException {
        collectives.scan("Scan", new Elements(sendbuf, sendoffset, count, datatype), new Elements(recvbuf, recvoffset, count, datatype), op).run();
    }

    /** Combines with {@code op} the elements of all ranks before the calling one; rank 0's receive buffer is not touched. */
    public void Exscan(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype datatype, Op op)
            throws MPIException {
        collectives.exscan(
                "Exscan", new Elements(sendbuf, sendoffset, count, datatype), new Elements(recvbuf, recvoffset, count, datatype), op).run();
    }

    // ---- non-blocking

    /** Starts {@link #Barrier}; the buffers must not be used before the request is complete. */
    public Request Ibarrier() throws MPIException {
        return collectives.barrier("Ibarrier").start();
    }

    /** Starts {@link #Bcast}; the buffers must not be used before the request is complete. */
    public Request Ibcast(Object buf, int offset, int count, Datatype datatype, int root) throws MPIException {
        return collectives.bcast("Ibcast", new Elements(buf, offset, count, datatype), root).start();
    }

    /** Starts {@link #Gather}; the buffers must not be used before the request is complete. */
    public Request Igather(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf, int recvoffset,
            int recvcount, Datatype recvtype, int root)
            throws MPIException {
        return collectives.gather(
                "Igather", new Elements(sendbuf, sendoffset, sendcount, sendtype),
                RankBlocks.even(recvbuf, recvoffset, recvcount, recvtype), root).start();
    }

    /** Starts {@link #Gatherv}; the buffers must not be used before the request is complete. */
    public Request Igatherv(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf, int recvoffset,
            int[] recvcounts, int[] displs, Datatype recvtype, int root)
            throws MPIException {
        return collectives.gather(
                "Igatherv", new Elements(sendbuf, sendoffset, sendcount, sendtype),
                RankBlocks.at(recvbuf, recvoffset, recvcounts, displs, recvtype), root).start();
    }

    /** Starts {@link #Scatter}; the buffers must not be used before the request is complete. */
    public Request Iscatter(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf, int recvoffset,
            int recvcount, Datatype recvtype, int root)
            throws MPIException {
        return collectives.scatter(
                "Iscatter", RankBlocks.even(sendbuf, sendoffset, sendcount, sendtype),
                new Elements(recvbuf, recvoffset, recvcount, recvtype), root).start();
    }

    /** Starts {@link #Scatterv}; the buffers must not be used before the request is complete. */
    public Request Iscatterv(
            Object sendbuf, int sendoffset, int[] sendcounts, int[] displs, Datatype sendtype, Object recvbuf,
            int recvoffset, int recvcount, Datatype recvtype, int root)
            throws MPIException {
        return collectives.scatter(
                "Iscatterv", RankBlocks.at(sendbuf, sendoffset, sendcounts, displs, sendtype),
                new Elements(recvbuf, recvoffset, recvcount, recvtype), root).start();
    }

    /** Starts {@link #Allgather}; the buffers must not be used before the request is complete. */
    public Request Iallgather(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf, int recvoffset,
            int recvcount, Datatype recvtype)
            throws MPIException {
        return collectives.allgather(
                "Iallgather", new Elements(sendbuf, sendoffset, sendcount, sendtype),
                RankBlocks.even(recvbuf, recvoffset, recvcount, recvtype)).start();
    }

    /** Starts {@link #Allgatherv}; the buffers must not be used before the request is complete. */
    public Request Iallgatherv(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf, int recvoffset,
            int[] recvcounts, int[] displs, Datatype recvtype)
            throws MPIException {
        return collectives.allgather(
                "Iallgatherv", new Elements(sendbuf, sendoffset, sendcount, sendtype),
                RankBlocks.at(recvbuf, recvoffset, recvcounts, displs, recvtype)).start();
    }

    /** Starts {@link #Alltoall}; the buffers must not be used before the request is complete. */
    public Request Ialltoall(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype, Object recvbuf, int recvoffset,
            int recvcount, Datatype recvtype)
            throws MPIException {
        return collectives.alltoall(
                "Ialltoall", RankBlocks.even(sendbuf, sendoffset, sendcount, sendtype),
                RankBlocks.even(recvbuf, recvoffset, recvcount, recvtype)).start();
    }

    /** Starts {@link #Alltoallv}; the buffers must not be used before the request is complete. */
    public Request Ialltoallv(
            Object sendbuf, int sendoffset, int[] sendcounts, int[] sdispls, Datatype sendtype, Object recvbuf,
            int recvoffset, int[] recvcounts, int[] rdispls, Datatype recvtype)
            throws MPIException {
        return collectives.alltoall(
                "Ialltoallv", RankBlocks.at(sendbuf, sendoffset, sendcounts, sdispls, sendtype),
                RankBlocks.at(recvbuf, recvoffset, recvcounts, rdispls, recvtype)).start();
    }

    /** Starts {@link #Reduce}; the buffers must not be used before the request is complete. */
    public Request Ireduce(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype datatype, Op op,
            int root)
            throws MPIException {
        return collectives.reduce(
                "Ireduce", new Elements(sendbuf, sendoffset, count, datatype), new Elements(recvbuf, recvoffset, count, datatype), op, root).start();
    }

    /** Starts {@link #Allreduce}; the buffers must not be used before the request is complete. */
    public Request Iallreduce(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype datatype, Op op)
            throws MPIException {
        return collectives.allreduce(
                "Iallreduce", new Elements(sendbuf, sendoffset, count, datatype), new Elements(recvbuf, recvoffset, count, datatype), op).start();
    }

    /** Starts {@link #Reduce_scatter}; the buffers must not be used before the request is complete. */
    public Request Ireduce_scatter(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int[] recvcounts, Datatype datatype, Op op)
            throws MPIException {
        return collectives.reduceScatter("Ireduce_scatter", sendbuf, sendoffset, recvbuf, recvoffset, recvcounts, datatype, op).start();
    }

    /** Starts {@link #Reduce_scatter_block}; the buffers must not be used before the request is complete. */
    public Request Ireduce_scatter_block(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int recvcount, Datatype datatype, Op op)
            throws MPIException {
        return collectives.reduceScatterBlock(
                "Ireduce_scatter_block", sendbuf, sendoffset, new Elements(recvbuf, recvoffset, recvcount, datatype), op).start();
    }

    /** Starts {@link #Scan}; the buffers must not be used before the request is complete. */
    public Request Iscan(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype datatype, Op op)
            throws MPIException {
        return collectives.scan(
                "Iscan", new Elements(sendbuf, sendoffset, count, datatype), new Elements(recvbuf, recvoffset, count, datatype), op).start();
    }

    /** Starts {@link #Exscan}; the buffers must not be used before the request is complete. */
    public Request Iexscan(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype datatype, Op op)
            throws MPIException {
        return collectives.exscan(
                "Iexscan", new Elements(sendbuf, sendoffset, count, datatype), new Elements(recvbuf, recvoffset, count, datatype), op).start();
    }
}
