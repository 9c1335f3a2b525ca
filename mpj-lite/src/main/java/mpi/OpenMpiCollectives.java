package mpi;

/**
 * Collectives in Open MPI's spelling, blocking. They are calls of every communicator, an intercommunicator too (MPI-2,
 * 7.3): its rooted ones take {@link MPI#ROOT} at the root, {@link MPI#PROC_NULL} at the root's group mates, and the
 * root's rank in the other group. The rules are those of mpiJava's ({@link MpjCollectives}).
 */
abstract class OpenMpiCollectives extends OpenMpiPointToPoint {
    /** Made anew when a copy that was pending gets its number. */
    Collectives collectives;

    OpenMpiCollectives(OwnProcess self, Group group, Group addressed, int id, String name) {
        super(self, group, addressed, id, name);
        collectives = listed(Collectives.of(this));
    }

    @Override
    void opened() {
        collectives = listed(Collectives.of(this));
    }

    /** They are there from now on, if the communicator is. */
    final Collectives listed(Collectives made) {
        if (isOpen()) {
            self.positions().add(made);
        }
        return made;
    }

    /** As mpiJava's Barrier. */
    public void barrier() throws MPIException {
        collectives.barrier("barrier").run();
    }

    /** As mpiJava's Bcast. */
    public void bcast(Object buf, int count, Datatype type, int root) throws MPIException {
        BufferView.run(buf, type, memory -> collectives.bcast("bcast", new Elements(memory, 0, count, type), root));
    }

    /** As mpiJava's Gather. */
    public void gather(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount, Datatype recvtype,
            int root)
            throws MPIException {
        BufferView.run(sendbuf, sendtype, recvbuf, recvtype,
                (from, to) -> collectives.gather(
                        "gather", new Elements(from, 0, sendcount, sendtype), RankBlocks.even(to, 0, recvcount, recvtype), root));
    }

    /** As mpiJava's Gatherv. */
    public void gatherv(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int[] recvcounts, int[] displs,
            Datatype recvtype, int root)
            throws MPIException {
        BufferView.run(sendbuf, sendtype, recvbuf, recvtype, (from, to) -> collectives.gather(
                "gatherv", new Elements(from, 0, sendcount, sendtype), RankBlocks.at(to, 0, recvcounts, displs, recvtype), root));
    }

    /** As mpiJava's Scatter. */
    public void scatter(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount, Datatype recvtype,
            int root)
            throws MPIException {
        BufferView.run(sendbuf, sendtype, recvbuf, recvtype,
                (from, to) -> collectives.scatter(
                        "scatter", RankBlocks.even(from, 0, sendcount, sendtype), new Elements(to, 0, recvcount, recvtype), root));
    }

    /** As mpiJava's Scatterv. */
    public void scatterv(
            Object sendbuf, int[] sendcounts, int[] displs, Datatype sendtype, Object recvbuf, int recvcount,
            Datatype recvtype, int root)
            throws MPIException {
        BufferView.run(sendbuf, sendtype, recvbuf, recvtype, (from, to) -> collectives.scatter(
                "scatterv", RankBlocks.at(from, 0, sendcounts, displs, sendtype), new Elements(to, 0, recvcount, recvtype), root));
    }

    /** As mpiJava's Allgather. */
    public void allGather(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount, Datatype recvtype)
            throws MPIException {
        BufferView.run(sendbuf, sendtype, recvbuf, recvtype,
                (from, to) -> collectives.allgather(
                        "allGather", new Elements(from, 0, sendcount, sendtype), RankBlocks.even(to, 0, recvcount, recvtype)));
    }

    /** As mpiJava's Allgatherv. */
    public void allGatherv(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int[] recvcounts, int[] displs,
            Datatype recvtype)
            throws MPIException {
        BufferView.run(sendbuf, sendtype, recvbuf, recvtype, (from, to) -> collectives.allgather(
                "allGatherv", new Elements(from, 0, sendcount, sendtype), RankBlocks.at(to, 0, recvcounts, displs, recvtype)));
    }

    /** As mpiJava's Alltoall. */
    public void allToAll(
            Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount, Datatype recvtype)
            throws MPIException {
        BufferView.run(sendbuf, sendtype, recvbuf, recvtype,
                (from, to) -> collectives.alltoall(
                        "allToAll", RankBlocks.even(from, 0, sendcount, sendtype), RankBlocks.even(to, 0, recvcount, recvtype)));
    }

    /** As mpiJava's Alltoallv. */
    public void allToAllv(
            Object sendbuf, int[] sendcounts, int[] sdispls, Datatype sendtype, Object recvbuf, int[] recvcounts,
            int[] rdispls, Datatype recvtype)
            throws MPIException {
        BufferView.run(sendbuf, sendtype, recvbuf, recvtype, (from, to) -> collectives.alltoall(
                "allToAllv", RankBlocks.at(from, 0, sendcounts, sdispls, sendtype), RankBlocks.at(to, 0, recvcounts, rdispls, recvtype)));
    }

    /** As mpiJava's Reduce. */
    public void reduce(Object sendbuf, Object recvbuf, int count, Datatype type, Op op, int root) throws MPIException {
        BufferView.run(sendbuf, type, recvbuf, type, (from, to) -> collectives.reduce(
                "reduce", new Elements(from, 0, count, type), new Elements(to, 0, count, type), op, root));
    }

    /** As mpiJava's Allreduce. */
    public void allReduce(Object sendbuf, Object recvbuf, int count, Datatype type, Op op) throws MPIException {
        BufferView.run(sendbuf, type, recvbuf, type, (from, to) -> collectives.allreduce(
                "allReduce", new Elements(from, 0, count, type), new Elements(to, 0, count, type), op));
    }

    /** As mpiJava's Reduce_scatter. */
    public void reduceScatter(Object sendbuf, Object recvbuf, int[] recvcounts, Datatype type, Op op)
            throws MPIException {
        BufferView.run(sendbuf, type, recvbuf, type, (from, to) -> collectives.reduceScatter("reduceScatter", from, 0, to, 0, recvcounts, type, op));
    }

    /** As mpiJava's Reduce_scatter_block. */
    public void reduceScatterBlock(Object sendbuf, Object recvbuf, int recvcount, Datatype type, Op op)
            throws MPIException {
        BufferView.run(sendbuf, type, recvbuf, type, (from, to) -> collectives.reduceScatterBlock(
                "reduceScatterBlock", from, 0, new Elements(to, 0, recvcount, type), op));
    }

    // ---- in place

    /** As {@link #gather}: at the root, {@code buf} receives, and holds its own block in place. */
    public void gather(Object buf, int count, Datatype type, int root) throws MPIException {
        BufferView.run(buf, type, memory -> collectives.gatherInPlace("gather", memory, count, type, root));
    }

    /** As {@link #gatherv}, at the root, whose own block is in place. */
    public void gatherv(Object recvbuf, int[] recvcounts, int[] displs, Datatype recvtype, int root)
            throws MPIException {
        BufferView.run(recvbuf, recvtype, memory -> collectives.gathervInPlace("gatherv", RankBlocks.at(memory, 0, recvcounts, displs, recvtype), root));
    }

    /** As {@link #gatherv}, at other ranks than the root. */
    public void gatherv(Object sendbuf, int sendcount, Datatype sendtype, int root) throws MPIException {
        BufferView.run(sendbuf, sendtype, memory -> collectives.gathervToRoot("gatherv", new Elements(memory, 0, sendcount, sendtype), root));
    }

    /** As {@link #scatter}: at the root, {@code buf} is dealt out, and its own block stays in place. */
    public void scatter(Object buf, int count, Datatype type, int root) throws MPIException {
        BufferView.run(buf, type, memory -> collectives.scatterInPlace("scatter", memory, count, type, root));
    }

    /** As {@link #scatterv}, at the root, whose own block stays in place. */
    public void scatterv(Object sendbuf, int[] sendcounts, int[] displs, Datatype sendtype, int root)
            throws MPIException {
        BufferView.run(sendbuf, sendtype, memory -> collectives.scattervInPlace(
                "scatterv", RankBlocks.at(memory, 0, sendcounts, displs, sendtype), root));
    }

    /** As {@link #scatterv}, at other ranks than the root. */
    public void scatterv(Object recvbuf, int recvcount, Datatype recvtype, int root) throws MPIException {
        BufferView.run(recvbuf, recvtype, memory -> collectives.scattervFromRoot("scatterv", new Elements(memory, 0, recvcount, recvtype), root));
    }

    /** As {@link #allGather}, each rank's block in place. */
    public void allGather(Object buf, int count, Datatype type) throws MPIException {
        BufferView.run(buf, type, memory -> collectives.allgatherInPlace("allGather", RankBlocks.even(memory, 0, count, type)));
    }

    /** As {@link #allGatherv}, each rank's block in place. */
    public void allGatherv(Object recvbuf, int[] recvcounts, int[] displs, Datatype recvtype) throws MPIException {
        BufferView.run(recvbuf, recvtype, memory -> collectives.allgatherInPlace("allGatherv", RankBlocks.at(memory, 0, recvcounts, displs, recvtype)));
    }

    /** As {@link #reduce}, with one buffer. */
    public void reduce(Object buf, int count, Datatype type, Op op, int root) throws MPIException {
        BufferView.run(buf, type, memory -> collectives.reduce(
                "reduce", new Elements(memory, 0, count, type), new Elements(memory, 0, count, type), op, root));
    }

    /** As {@link #allReduce}, with one buffer. */
    public void allReduce(Object buf, int count, Datatype type, Op op) throws MPIException {
        BufferView.run(buf, type, memory -> collectives.allreduce(
                "allReduce", new Elements(memory, 0, count, type), new Elements(memory, 0, count, type), op));
    }

    /** As {@link #reduceScatter}, with one buffer: the result begins at its start. */
    public void reduceScatter(Object buf, int[] counts, Datatype type, Op op) throws MPIException {
        BufferView.run(buf, type, memory -> collectives.reduceScatter("reduceScatter", memory, 0, memory, 0, counts, type, op));
    }

    /** As {@link #reduceScatterBlock}, with one buffer: the result begins at its start. */
    public void reduceScatterBlock(Object buf, int count, Datatype type, Op op) throws MPIException {
        BufferView.run(buf, type, memory -> collectives.reduceScatterBlock("reduceScatterBlock", memory, 0, new Elements(memory, 0, count, type), op));
    }
}
