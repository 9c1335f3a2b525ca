package mpi;

/**
 * Collectives in Open MPI's spelling, blocking. They are calls of every communicator, an intercommunicator too (MPI-2,
 * 7.3): its rooted ones take {@link MPI#ROOT} at the root, {@link MPI#PROC_NULL} at the root's group mates, and the
 * root's rank in the other group. The rules are those of mpiJava's ({@link MpjCollectives}).
 */
abstract class OpenMpiCollectives extends OpenMpiPointToPoint {
    /** Made anew when a copy that was pending gets its number. */
    Collectives collectives;

    OpenMpiCollectives(Self self, Group group, Group addressed, int id, String name) {
        super(self, group, addressed, id, name);
        collectives = Collectives.of(this);
    }

    @Override
    void opened() {
        collectives = Collectives.of(this);
    }

    /** As mpiJava's Barrier. */
    public void barrier() throws MPIException {
        collectives.barrier("barrier").run();
    }

    /** As mpiJava's Bcast. */
    public void bcast(Object buf, int count, Datatype type, int root) throws MPIException {
        collectives.bcast("bcast", buf, 0, count, type, root).run();
    }

    /** As mpiJava's Gather. */
    public void gather(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount, Datatype recvtype,
            int root)
            throws MPIException {
        collectives.gather("gather", sendbuf, 0, sendcount, sendtype, recvbuf, 0, recvcount, recvtype, root).run();
    }

    /** As mpiJava's Gatherv. */
    public void gatherv(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int[] recvcounts, int[] displs,
            Datatype recvtype, int root)
            throws MPIException {
        collectives.gatherv("gatherv", sendbuf, 0, sendcount, sendtype, recvbuf, 0, recvcounts, displs, recvtype, root).run();
    }

    /** As mpiJava's Scatter. */
    public void scatter(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount, Datatype recvtype,
            int root)
            throws MPIException {
        collectives.scatter("scatter", sendbuf, 0, sendcount, sendtype, recvbuf, 0, recvcount, recvtype, root).run();
    }

    /** As mpiJava's Scatterv. */
    public void scatterv(
            Object sendbuf, int[] sendcounts, int[] displs, Datatype sendtype, Object recvbuf, int recvcount,
            Datatype recvtype, int root)
            throws MPIException {
        collectives.scatterv("scatterv", sendbuf, 0, sendcounts, displs, sendtype, recvbuf, 0, recvcount, recvtype, root).run();
    }

    /** As mpiJava's Allgather. */
    public void allGather(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount, Datatype recvtype)
            throws MPIException {
        collectives.allgather("allGather", sendbuf, 0, sendcount, sendtype, recvbuf, 0, recvcount, recvtype).run();
    }

    /** As mpiJava's Allgatherv. */
    public void allGatherv(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int[] recvcounts, int[] displs,
            Datatype recvtype)
            throws MPIException {
        collectives.allgatherv("allGatherv", sendbuf, 0, sendcount, sendtype, recvbuf, 0, recvcounts, displs, recvtype).run();
    }

    /** As mpiJava's Alltoall. */
    public void allToAll(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount, Datatype recvtype)
            throws MPIException {
        collectives.alltoall("allToAll", sendbuf, 0, sendcount, sendtype, recvbuf, 0, recvcount, recvtype).run();
    }

    /** As mpiJava's Alltoallv. */
    public void allToAllv(
            Object sendbuf, int[] sendcounts, int[] sdispls, Datatype sendtype, Object recvbuf, int[] recvcounts,
            int[] rdispls, Datatype recvtype)
            throws MPIException {
        collectives.alltoallv(
                "allToAllv", sendbuf, 0, sendcounts, sdispls, sendtype, recvbuf, 0, recvcounts, rdispls, recvtype).run();
    }

    /** As mpiJava's Reduce. */
    public void reduce(Object sendbuf, Object recvbuf, int count, Datatype type, Op op, int root) throws MPIException {
        collectives.reduce("reduce", sendbuf, 0, recvbuf, 0, count, type, op, root).run();
    }

    /** As mpiJava's Allreduce. */
    public void allReduce(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) throws MPIException {
        collectives.allreduce("allReduce", sendbuf, 0, recvbuf, 0, count, type, op).run();
    }

    /** As mpiJava's Reduce_scatter. */
    public void reduceScatter(Object sendbuf, Object recvbuf, int[] recvcounts, Datatype type, Op op)
            throws MPIException {
        collectives.reduceScatter("reduceScatter", sendbuf, 0, recvbuf, 0, recvcounts, type, op).run();
    }

    /** As mpiJava's Reduce_scatter_block. */
    public void reduceScatterBlock(Object sendbuf, Object recvbuf, int recvcount, Datatype type, Op op)
            throws MPIException {
        collectives.reduceScatterBlock("reduceScatterBlock", sendbuf, 0, recvbuf, 0, recvcount, type, op).run();
    }

    // ---- in place

    /** As {@link #gather}: at the root, {@code buf} receives, and holds its own block in place. */
    public void gather(Object buf, int count, Datatype type, int root) throws MPIException {
        collectives.gatherInPlace("gather", buf, count, type, root).run();
    }

    /** As {@link #gatherv}, at the root, whose own block is in place. */
    public void gatherv(Object recvbuf, int[] recvcounts, int[] displs, Datatype recvtype, int root)
            throws MPIException {
        collectives.gathervInPlace("gatherv", recvbuf, recvcounts, displs, recvtype, root).run();
    }

    /** As {@link #gatherv}, at other ranks than the root. */
    public void gatherv(Object sendbuf, int sendcount, Datatype sendtype, int root) throws MPIException {
        collectives.gathervToRoot("gatherv", sendbuf, sendcount, sendtype, root).run();
    }

    /** As {@link #scatter}: at the root, {@code buf} is dealt out, and its own block stays in place. */
    public void scatter(Object buf, int count, Datatype type, int root) throws MPIException {
        collectives.scatterInPlace("scatter", buf, count, type, root).run();
    }

    /** As {@link #scatterv}, at the root, whose own block stays in place. */
    public void scatterv(Object sendbuf, int[] sendcounts, int[] displs, Datatype sendtype, int root)
            throws MPIException {
        collectives.scattervInPlace("scatterv", sendbuf, sendcounts, displs, sendtype, root).run();
    }

    /** As {@link #scatterv}, at other ranks than the root. */
    public void scatterv(Object recvbuf, int recvcount, Datatype recvtype, int root) throws MPIException {
        collectives.scattervFromRoot("scatterv", recvbuf, recvcount, recvtype, root).run();
    }

    /** As {@link #allGather}, each rank's block in place. */
    public void allGather(Object buf, int count, Datatype type) throws MPIException {
        collectives.allgatherInPlace("allGather", buf, count, type).run();
    }

    /** As {@link #allGatherv}, each rank's block in place. */
    public void allGatherv(Object recvbuf, int[] recvcounts, int[] displs, Datatype recvtype) throws MPIException {
        collectives.allgathervInPlace("allGatherv", recvbuf, recvcounts, displs, recvtype).run();
    }

    /** As {@link #reduce}, with one buffer. */
    public void reduce(Object buf, int count, Datatype type, Op op, int root) throws MPIException {
        collectives.reduce("reduce", buf, 0, buf, 0, count, type, op, root).run();
    }

    /** As {@link #allReduce}, with one buffer. */
    public void allReduce(Object buf, int count, Datatype type, Op op) throws MPIException {
        collectives.allreduce("allReduce", buf, 0, buf, 0, count, type, op).run();
    }

    /** As {@link #reduceScatter}, with one buffer: the result begins at its start. */
    public void reduceScatter(Object buf, int[] counts, Datatype type, Op op) throws MPIException {
        collectives.reduceScatter("reduceScatter", buf, 0, buf, 0, counts, type, op).run();
    }

    /** As {@link #reduceScatterBlock}, with one buffer: the result begins at its start. */
    public void reduceScatterBlock(Object buf, int count, Datatype type, Op op) throws MPIException {
        collectives.reduceScatterBlock("reduceScatterBlock", buf, 0, buf, 0, count, type, op).run();
    }
}
