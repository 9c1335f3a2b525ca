package mpi;

import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.coll.Block;
import org.posthouse.mpj.coll.Blocks;
import org.posthouse.mpj.coll.Inter;
import org.posthouse.mpj.coll.InterPeers;
import org.posthouse.mpj.coll.Reduction;
import org.posthouse.mpj.data.Region;

/**
 * The collectives of an intercommunicator (MPI-2, 7.3): what one group gives, the other gets. Of rooted ones, the root
 * gives {@link MPI#ROOT}, its group mates {@link MPI#PROC_NULL}, and the other group the root's rank.
 */
final class InterCollectives extends Collectives {
    private final InterPeers inter;

    InterCollectives(Communicator comm, InterPeers inter) {
        super(comm, null, 0, null);
        this.inter = inter;
    }

    @Override
    int operations() {
        return inter.operations();
    }

    @Override
    void goOn(int operations, int calls) {
        inter.countingFrom(operations);
        goOn(calls);
    }

    @Override
    void rooted(String call, int root) {
        comm.requireLive(call);
        if (root != MPI.ROOT && root != MPI.PROC_NULL) {
            check.root(call, root);
        }
    }

    /** A root argument: whether the calling process is the root, or in the group across. */
    @Override
    boolean isRoot(int root) {
        return root == MPI.ROOT;
    }

    private static boolean isAcross(int root) {
        return root >= 0;
    }

    @Override
    Collective barrier(String call) {
        comm.requireLive(call);
        return make(call, () -> Inter.barrier(inter));
    }

    @Override
    Collective bcast(String call, Object buf, int offset, int count, Datatype type, int root) {
        rooted(call, root);
        if (root != MPI.PROC_NULL) {
            check.buffer(call, "buffer", buf, offset, count, type);
        }
        if (isAcross(root)) {
            check.writable(call, "buffer", buf);
        }
        Region region = root == MPI.PROC_NULL ? null : type.region(buf, offset);
        return make(call, () -> Inter.bcast(inter, region, count, root));
    }

    @Override
    Collective gather(
            String call, Object sendbuf, int sendoffset, int sendcount, Datatype sendtype,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype, int root) {
        rooted(call, root);
        if (isRoot(root)) {
            check.roomForBlocks(call, RECEIVE, recvbuf, recvoffset, recvcount, recvtype);
        }
        Region send = sendOf(call, sendbuf, sendoffset, sendcount, sendtype, root);
        Region receive = isRoot(root) ? recvtype.region(recvbuf, recvoffset) : null;
        return make(call, () -> Inter.gather(inter, send, sendcount, receive, Blocks.even(recvcount), root));
    }

    @Override
    Collective gatherv(
            String call, Object sendbuf, int sendoffset, int sendcount, Datatype sendtype,
            Object recvbuf, int recvoffset, int[] recvcounts, int[] displs, Datatype recvtype, int root) {
        rooted(call, root);
        if (isRoot(root)) {
            check.roomForBlocks(call, RECEIVE, recvbuf, recvoffset, recvcounts, displs, recvtype);
        }
        Region send = sendOf(call, sendbuf, sendoffset, sendcount, sendtype, root);
        Region receive = isRoot(root) ? recvtype.region(recvbuf, recvoffset) : null;
        return make(call, () -> Inter.gather(inter, send, sendcount, receive, Blocks.at(recvcounts, displs), root));
    }

    private Region sendOf(String call, Object buf, int offset, int count, Datatype type, int root) {
        if (!isAcross(root)) {
            return null;
        }
        check.buffer(call, SEND, buf, offset, count, type);
        return type.region(buf, offset);
    }

    @Override
    Collective scatter(
            String call, Object sendbuf, int sendoffset, int sendcount, Datatype sendtype,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype, int root) {
        rooted(call, root);
        if (isRoot(root)) {
            check.blocks(call, SEND, sendbuf, sendoffset, sendcount, sendtype);
        }
        Region send = isRoot(root) ? sendtype.region(sendbuf, sendoffset) : null;
        Region receive = roomOf(call, recvbuf, recvoffset, recvcount, recvtype, root);
        return make(call, () -> Inter.scatter(inter, send, Blocks.even(sendcount), receive, recvcount, root));
    }

    @Override
    Collective scatterv(
            String call, Object sendbuf, int sendoffset, int[] sendcounts, int[] displs, Datatype sendtype,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype, int root) {
        rooted(call, root);
        if (isRoot(root)) {
            check.blocks(call, SEND, sendbuf, sendoffset, sendcounts, displs, sendtype);
        }
        Region send = isRoot(root) ? sendtype.region(sendbuf, sendoffset) : null;
        Region receive = roomOf(call, recvbuf, recvoffset, recvcount, recvtype, root);
        return make(call, () -> Inter.scatter(inter, send, Blocks.at(sendcounts, displs), receive, recvcount, root));
    }

    private Region roomOf(String call, Object buf, int offset, int count, Datatype type, int root) {
        if (!isAcross(root)) {
            return null;
        }
        check.room(call, RECEIVE, buf, offset, count, type);
        return type.region(buf, offset);
    }

    @Override
    void allgather(Region send, int count, Region receive, Blocks blocks) throws ReceiveException {
        Inter.allgather(inter, send, count, receive, blocks);
    }

    @Override
    void alltoall(Region send, Blocks sendBlocks, Region receive, Blocks receiveBlocks) throws ReceiveException {
        Inter.alltoall(inter, send, sendBlocks, receive, receiveBlocks);
    }

    @Override
    void alltoall(Block[] send, Block[] receive) throws ReceiveException {
        Inter.alltoall(inter, send, receive);
    }

    @Override
    Collective reduce(
            String call, Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype type, Op op,
            int root) {
        rooted(call, root);
        if (root == MPI.PROC_NULL) {
            return make(call, () -> Inter.reduce(inter, null, null, 0, null, root));
        } else if (isAcross(root)) {
            reducible(call, sendbuf, sendoffset, count, type, op);
        } else {
            check.room(call, RECEIVE, recvbuf, recvoffset, count, type);
            check.operation(call, op, type);
        }
        Region send = isAcross(root) ? type.region(sendbuf, sendoffset) : null;
        Region receive = isRoot(root) ? type.region(recvbuf, recvoffset) : null;
        return reduction(
                call, Collective.NO_ROOT, type, send, count, receive, count,
                (in, out) -> Inter.reduce(inter, in, out, count, op.on(type), root));
    }

    @Override
    void allreduce(Region send, Region receive, int count, Reduction op) throws ReceiveException {
        Inter.allreduce(inter, send, receive, count, op);
    }

    @Override
    void reduceScatter(Region send, Region receive, Blocks blocks, Reduction op) throws ReceiveException {
        Inter.reduceScatter(inter, send, receive, blocks, op);
    }
}
