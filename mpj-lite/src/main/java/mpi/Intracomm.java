package mpi;

import org.posthouse.mpj.Endpoint;
import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.coll.Allgather;
import org.posthouse.mpj.coll.Allreduce;
import org.posthouse.mpj.coll.Alltoall;
import org.posthouse.mpj.coll.Barrier;
import org.posthouse.mpj.coll.Blocks;
import org.posthouse.mpj.coll.Broadcast;
import org.posthouse.mpj.coll.Gather;
import org.posthouse.mpj.coll.Peers;
import org.posthouse.mpj.coll.Reduce;
import org.posthouse.mpj.coll.ReduceScatter;
import org.posthouse.mpj.coll.Scan;
import org.posthouse.mpj.coll.Scatter;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.data.UnwritableException;

/**
 * A communicator of one group: the collective calls. All its ranks make the same calls in the same order, from one
 * thread at a time. Counts and displacements are in elements of the datatype; arrays of them may be longer than the
 * group. A buffer that has no meaning at a rank is not looked at there, and may be null.
 */
public class Intracomm extends Comm {
    private static final String SEND = "send buffer";
    private static final String RECEIVE = "receive buffer";

    private final Peers peers;

    Intracomm(Endpoint endpoint, Group group, int context, int collectiveContext, String name) {
        super(endpoint, group, context, name);
        peers = new Peers(endpoint, collectiveContext, group.Rank(), group.worldRanks());
    }

    /** Blocks until all ranks have called it. */
    public void Barrier() throws MPIException {
        run("Barrier", () -> Barrier.run(peers));
    }

    /** Copies the root's elements to all ranks. */
    public void Bcast(Object buf, int offset, int count, Datatype datatype, int root) throws MPIException {
        check.root("Bcast", root);
        check.buffer("Bcast", "buffer", buf, offset, count, datatype);
        run("Bcast", () -> Broadcast.run(peers, datatype.region(buf, offset), count, root));
    }

    /** Collects the ranks' elements at the root in rank order; {@code recvcount} is that of one rank. */
    public void Gather(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype, int root)
            throws MPIException {
        check.root("Gather", root);
        check.buffer("Gather", SEND, sendbuf, sendoffset, sendcount, sendtype);
        if (Rank() == root) {
            check.blocks("Gather", RECEIVE, recvbuf, recvoffset, recvcount, recvtype);
        }
        Region receive = Rank() == root ? recvtype.region(recvbuf, recvoffset) : null;
        Region send = sendtype.region(sendbuf, sendoffset);
        run("Gather", () -> Gather.run(peers, send, sendcount, receive, Blocks.even(recvcount), root));
    }

    /** As {@link #Gather}, with a count and a displacement for each rank. */
    public void Gatherv(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype,
            Object recvbuf, int recvoffset, int[] recvcounts, int[] displs, Datatype recvtype, int root)
            throws MPIException {
        check.root("Gatherv", root);
        check.buffer("Gatherv", SEND, sendbuf, sendoffset, sendcount, sendtype);
        if (Rank() == root) {
            check.blocks("Gatherv", RECEIVE, recvbuf, recvoffset, recvcounts, displs, recvtype);
        }
        Region receive = Rank() == root ? recvtype.region(recvbuf, recvoffset) : null;
        Region send = sendtype.region(sendbuf, sendoffset);
        run("Gatherv", () -> Gather.run(peers, send, sendcount, receive, Blocks.at(recvcounts, displs), root));
    }

    /** Deals the root's elements out in rank order; {@code sendcount} is that of one rank. */
    public void Scatter(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype, int root)
            throws MPIException {
        check.root("Scatter", root);
        check.buffer("Scatter", RECEIVE, recvbuf, recvoffset, recvcount, recvtype);
        if (Rank() == root) {
            check.blocks("Scatter", SEND, sendbuf, sendoffset, sendcount, sendtype);
        }
        Region send = Rank() == root ? sendtype.region(sendbuf, sendoffset) : null;
        Region receive = recvtype.region(recvbuf, recvoffset);
        run("Scatter", () -> Scatter.run(peers, send, Blocks.even(sendcount), receive, recvcount, root));
    }

    /** As {@link #Scatter}, with a count and a displacement for each rank. */
    public void Scatterv(
            Object sendbuf, int sendoffset, int[] sendcounts, int[] displs, Datatype sendtype,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype, int root)
            throws MPIException {
        check.root("Scatterv", root);
        check.buffer("Scatterv", RECEIVE, recvbuf, recvoffset, recvcount, recvtype);
        if (Rank() == root) {
            check.blocks("Scatterv", SEND, sendbuf, sendoffset, sendcounts, displs, sendtype);
        }
        Region send = Rank() == root ? sendtype.region(sendbuf, sendoffset) : null;
        Region receive = recvtype.region(recvbuf, recvoffset);
        run("Scatterv", () -> Scatter.run(peers, send, Blocks.at(sendcounts, displs), receive, recvcount, root));
    }

    /** Collects the ranks' elements at every rank in rank order; {@code recvcount} is that of one rank. */
    public void Allgather(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype)
            throws MPIException {
        check.buffer("Allgather", SEND, sendbuf, sendoffset, sendcount, sendtype);
        check.blocks("Allgather", RECEIVE, recvbuf, recvoffset, recvcount, recvtype);
        Region send = sendtype.region(sendbuf, sendoffset);
        Region receive = recvtype.region(recvbuf, recvoffset);
        run("Allgather", () -> Allgather.run(peers, send, sendcount, receive, Blocks.even(recvcount)));
    }

    /** As {@link #Allgather}, with a count and a displacement for each rank, the same at all ranks. */
    public void Allgatherv(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype,
            Object recvbuf, int recvoffset, int[] recvcounts, int[] displs, Datatype recvtype)
            throws MPIException {
        check.buffer("Allgatherv", SEND, sendbuf, sendoffset, sendcount, sendtype);
        check.blocks("Allgatherv", RECEIVE, recvbuf, recvoffset, recvcounts, displs, recvtype);
        Region send = sendtype.region(sendbuf, sendoffset);
        Region receive = recvtype.region(recvbuf, recvoffset);
        run("Allgatherv", () -> Allgather.run(peers, send, sendcount, receive, Blocks.at(recvcounts, displs)));
    }

    /** Sends a block of {@code sendcount} elements to each rank, and receives one from each. */
    public void Alltoall(
            Object sendbuf, int sendoffset, int sendcount, Datatype sendtype,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype)
            throws MPIException {
        check.blocks("Alltoall", SEND, sendbuf, sendoffset, sendcount, sendtype);
        check.blocks("Alltoall", RECEIVE, recvbuf, recvoffset, recvcount, recvtype);
        Region send = sendtype.region(sendbuf, sendoffset);
        Region receive = recvtype.region(recvbuf, recvoffset);
        run("Alltoall", () -> Alltoall.run(peers, send, Blocks.even(sendcount), receive, Blocks.even(recvcount)));
    }

    /** As {@link #Alltoall}, with a count and a displacement for each rank. */
    public void Alltoallv(
            Object sendbuf, int sendoffset, int[] sendcounts, int[] sdispls, Datatype sendtype,
            Object recvbuf, int recvoffset, int[] recvcounts, int[] rdispls, Datatype recvtype)
            throws MPIException {
        check.blocks("Alltoallv", SEND, sendbuf, sendoffset, sendcounts, sdispls, sendtype);
        check.blocks("Alltoallv", RECEIVE, recvbuf, recvoffset, recvcounts, rdispls, recvtype);
        Region send = sendtype.region(sendbuf, sendoffset);
        Region receive = recvtype.region(recvbuf, recvoffset);
        Blocks sendBlocks = Blocks.at(sendcounts, sdispls);
        run("Alltoallv", () -> Alltoall.run(peers, send, sendBlocks, receive, Blocks.at(recvcounts, rdispls)));
    }

    /** Combines the ranks' elements with {@code op} at the root. */
    public void Reduce(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype datatype, Op op,
            int root)
            throws MPIException {
        check.root("Reduce", root);
        check.buffer("Reduce", SEND, sendbuf, sendoffset, count, datatype);
        check.operation("Reduce", op, datatype);
        if (Rank() == root) {
            check.buffer("Reduce", RECEIVE, recvbuf, recvoffset, count, datatype);
        }
        Region send = datatype.region(sendbuf, sendoffset);
        Region receive = Rank() == root ? datatype.region(recvbuf, recvoffset) : null;
        run("Reduce", () -> Reduce.run(peers, send, receive, count, op.on(datatype), root));
    }

    /** Combines the ranks' elements with {@code op} at every rank; all get the same bits. */
    public void Allreduce(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype datatype, Op op)
            throws MPIException {
        check.buffer("Allreduce", SEND, sendbuf, sendoffset, count, datatype);
        check.buffer("Allreduce", RECEIVE, recvbuf, recvoffset, count, datatype);
        check.operation("Allreduce", op, datatype);
        Region send = datatype.region(sendbuf, sendoffset);
        Region receive = datatype.region(recvbuf, recvoffset);
        run("Allreduce", () -> Allreduce.run(peers, send, receive, count, op.on(datatype)));
    }

    /** Combines the ranks' elements with {@code op}, and deals the result out: {@code recvcounts[r]} to rank r. */
    public void Reduce_scatter(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int[] recvcounts, Datatype datatype, Op op)
            throws MPIException {
        check.adjacent("Reduce_scatter", SEND, sendbuf, sendoffset, recvcounts, datatype);
        check.buffer("Reduce_scatter", RECEIVE, recvbuf, recvoffset, recvcounts[Rank()], datatype);
        check.operation("Reduce_scatter", op, datatype);
        Region send = datatype.region(sendbuf, sendoffset);
        Region receive = datatype.region(recvbuf, recvoffset);
        Blocks blocks = Blocks.adjacent(recvcounts, Size());
        run("Reduce_scatter", () -> ReduceScatter.run(peers, send, receive, blocks, op.on(datatype)));
    }

    /** Combines with {@code op} the elements of all ranks up to and with the calling one. */
    public void Scan(
            Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype datatype, Op op)
            throws MPIException {
        check.buffer("Scan", SEND, sendbuf, sendoffset, count, datatype);
        check.buffer("Scan", RECEIVE, recvbuf, recvoffset, count, datatype);
        check.operation("Scan", op, datatype);
        Region send = datatype.region(sendbuf, sendoffset);
        Region receive = datatype.region(recvbuf, recvoffset);
        run("Scan", () -> Scan.run(peers, send, receive, count, op.on(datatype)));
    }

    /** One collective, arguments checked. */
    private interface Collective {
        void run() throws ReceiveException;
    }

    private void run(String call, Collective collective) {
        try {
            collective.run();
        } catch (ReceiveException e) {
            throw check.error(errorClass(e), call, e.getMessage(), e);
        } catch (UnwritableException e) {
            throw check.error(MPIException.ERR_TYPE, call, "the send buffer's " + e.getMessage(), e);
        }
    }
}
