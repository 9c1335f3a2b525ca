package mpi;

import org.posthouse.mpj.coll.Block;
import org.posthouse.mpj.coll.Blocks;
import org.posthouse.mpj.coll.InterCollectiveSteps;
import org.posthouse.mpj.coll.InterPeers;
import org.posthouse.mpj.coll.Reduction;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.ReceiveException;

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
    void inOneGroup(String call) {
        comm.requireLive(call);
        throw check.error(MPI.ERR_COMM, call, "this form is for one group, and here are two: expected a buffer to send and one to receive");
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
        return make(call, () -> InterCollectiveSteps.barrier(inter));
    }

    @Override
    Collective bcast(String call, Elements elements, int root) {
        rooted(call, root);
        if (isAcross(root)) {
            check.room(call, "buffer", elements);
        } else if (root != MPI.PROC_NULL) {
            check.buffer(call, "buffer", elements);
        }
        Region region = root == MPI.PROC_NULL ? null : elements.region();
        return make(call, () -> InterCollectiveSteps.bcast(inter, region, elements.count(), root));
    }

    @Override
    Collective gather(String call, Elements send, RankBlocks receive, int root) {
        rooted(call, root);
        if (isRoot(root)) {
            check.room(call, RECEIVE, receive);
        }
        if (isAcross(root)) {
            check.buffer(call, SEND, send);
        }
        Region from = isAcross(root) ? send.region() : null;
        Region to = isRoot(root) ? receive.region() : null;
        return make(call, () -> InterCollectiveSteps.gather(inter, from, send.count(), to, receive.blocks(), root));
    }

    @Override
    Collective scatter(String call, RankBlocks send, Elements receive, int root) {
        rooted(call, root);
        if (isRoot(root)) {
            check.blocks(call, SEND, send);
        }
        if (isAcross(root)) {
            check.room(call, RECEIVE, receive);
        }
        Region from = isRoot(root) ? send.region() : null;
        Region to = isAcross(root) ? receive.region() : null;
        return make(call, () -> InterCollectiveSteps.scatter(inter, from, send.blocks(), to, receive.count(), root));
    }

    @Override
    void allgather(Region send, int count, Region receive, Blocks blocks) throws ReceiveException {
        InterCollectiveSteps.allgather(inter, send, count, receive, blocks);
    }

    @Override
    void alltoall(Region send, Blocks sendBlocks, Region receive, Blocks receiveBlocks) throws ReceiveException {
        InterCollectiveSteps.alltoall(inter, send, sendBlocks, receive, receiveBlocks);
    }

    @Override
    void alltoall(Block[] send, Block[] receive) throws ReceiveException {
        InterCollectiveSteps.alltoall(inter, send, receive);
    }

    @Override
    Collective reduce(String call, Elements send, Elements receive, Op op, int root) {
        rooted(call, root);
        if (root == MPI.PROC_NULL) {
            return make(call, () -> InterCollectiveSteps.reduce(inter, null, null, 0, null, root));
        } else if (isAcross(root)) {
            reducible(call, send, op);
        } else {
            check.result(call, RECEIVE, receive);
            check.operation(call, op, receive.type());
        }
        return reduction(
                call, Collective.NO_ROOT, send.type(), isAcross(root) ? send : null, isRoot(root) ? receive : null,
                (in, out) -> InterCollectiveSteps.reduce(inter, in, out, send.count(), op.on(send.type()), root));
    }

    @Override
    void allreduce(Region send, Region receive, int count, Reduction op) throws ReceiveException {
        InterCollectiveSteps.allreduce(inter, send, receive, count, op);
    }

    @Override
    void reduceScatter(Region send, Region receive, Blocks blocks, Reduction op) throws ReceiveException {
        InterCollectiveSteps.reduceScatter(inter, send, receive, blocks, op);
    }
}
