package mpi;

import java.util.Arrays;
import org.posthouse.mpj.ReceiveException;
import org.posthouse.mpj.coll.Allgather;
import org.posthouse.mpj.coll.Allreduce;
import org.posthouse.mpj.coll.Alltoall;
import org.posthouse.mpj.coll.Barrier;
import org.posthouse.mpj.coll.Block;
import org.posthouse.mpj.coll.Blocks;
import org.posthouse.mpj.coll.Broadcast;
import org.posthouse.mpj.coll.Gather;
import org.posthouse.mpj.coll.InterPeers;
import org.posthouse.mpj.coll.Neighbours;
import org.posthouse.mpj.coll.Peers;
import org.posthouse.mpj.coll.Reduce;
import org.posthouse.mpj.coll.ReduceScatter;
import org.posthouse.mpj.coll.Reduction;
import org.posthouse.mpj.coll.Scan;
import org.posthouse.mpj.coll.Scatter;
import org.posthouse.mpj.data.Region;

/**
 * The collectives of an intracommunicator: checks the arguments of each call, under the name that the program calls it
 * by, and makes a {@link Collective} of it. Buffers that have no meaning at a rank are not looked at there.
 */
class Collectives {
    static final String SEND = "send buffer";
    static final String RECEIVE = "receive buffer";

    final Communicator comm;
    final ArgumentCheck check;
    final Turns turns;
    private final Peers peers;
    final int rank;
    final int size;

    /** @param along whose turns are in one order with these; null if nobody's */
    Collectives(Communicator comm, Peers peers, int firstTag, Collectives along) {
        this.comm = comm;
        this.peers = peers;
        check = comm.check;
        turns = new Turns(comm, firstTag, along == null ? null : along.turns);
        rank = comm.group.Rank();
        size = comm.group.Size();
    }

    // ---- what an image needs

    final int firstTag() {
        return turns.firstTag();
    }

    /** As {@link Turns#isUnderWay}. */
    final boolean isUnderWay() {
        return turns.isUnderWay();
    }

    /** Operations so far: the tag of the last one's messages. */
    int operations() {
        return peers.operations();
    }

    /** Calls so far. */
    final int calls() {
        return turns.calls();
    }

    /** Goes on from an image. */
    void goOn(int operations, int calls) {
        peers.countingFrom(operations);
        turns.goOn(calls);
    }

    final void goOn(int calls) {
        turns.goOn(calls);
    }

    /** The collectives of a communicator of either kind. */
    static Collectives of(Communicator comm) {
        if (!comm.isOpen() || comm.group == comm.addressed) {
            return of(comm, 0);
        }
        return new InterCollectives(comm, new InterPeers(
                comm.endpoint, comm.collectiveContext(), comm.group.Rank(), comm.group.worldRanks(),
                comm.addressed.worldRanks()));
    }

    /** @param firstTag number of operations in the context that are somebody else's */
    static Collectives of(Communicator comm, int firstTag) {
        return of(comm, firstTag, null);
    }

    /** @param along others of the same context, with which these have one order */
    static Collectives of(Communicator comm, int firstTag, Collectives along) {
        if (!comm.isOpen()) {
            return new Collectives(comm, null, firstTag, along);
        }
        Peers peers = new Peers(comm.endpoint, comm.collectiveContext(), comm.group.Rank(), comm.group.worldRanks());
        return new Collectives(comm, peers.countingFrom(firstTag), firstTag, along);
    }

    final Collective make(String call, Collective.Body body) {
        return make(call, Collective.NO_ROOT, body);
    }

    final Collective make(String call, int root, Collective.Body body) {
        return new Collective(call, root, turns, body);
    }

    Collective barrier(String call) {
        comm.requireLive(call);
        return make(call, () -> Barrier.run(peers));
    }

    /** All ranks agree on the number of a new communicator. */
    final Collective agreement(String call, Agreement agreement) {
        comm.requireLive(call);
        return make(call, () -> agreement.<ReceiveException>reach(values -> {
            Region all = MPI.LONG.region(values, 0);
            Allreduce.run(peers, all, all, values.length, MPI.BAND.on(MPI.LONG));
        }));
    }

    /** As {@link Turns#afterwards}. */
    final void afterwards(Runnable what) {
        turns.afterwards(what);
    }

    Collective bcast(String call, Object buf, int offset, int count, Datatype type, int root) {
        rooted(call, root);
        check.buffer(call, "buffer", buf, offset, count, type);
        if (rank != root) {
            check.writable(call, "buffer", buf);
        }
        return make(call, root, () -> Broadcast.run(peers, type.region(buf, offset), count, root));
    }

    Collective gather(
            String call, Object sendbuf, int sendoffset, int sendcount, Datatype sendtype,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype, int root) {
        rooted(call, root);
        check.buffer(call, SEND, sendbuf, sendoffset, sendcount, sendtype);
        if (rank == root) {
            check.roomForBlocks(call, RECEIVE, recvbuf, recvoffset, recvcount, recvtype);
        }
        Region send = sendtype.region(sendbuf, sendoffset);
        Region receive = rank == root ? recvtype.region(recvbuf, recvoffset) : null;
        return make(call, root, () -> Gather.run(peers, send, sendcount, receive, Blocks.even(recvcount), root));
    }

    Collective gatherv(
            String call, Object sendbuf, int sendoffset, int sendcount, Datatype sendtype,
            Object recvbuf, int recvoffset, int[] recvcounts, int[] displs, Datatype recvtype, int root) {
        rooted(call, root);
        check.buffer(call, SEND, sendbuf, sendoffset, sendcount, sendtype);
        if (rank == root) {
            check.roomForBlocks(call, RECEIVE, recvbuf, recvoffset, recvcounts, displs, recvtype);
        }
        Region send = sendtype.region(sendbuf, sendoffset);
        Region receive = rank == root ? recvtype.region(recvbuf, recvoffset) : null;
        return make(call, root, () -> Gather.run(peers, send, sendcount, receive, Blocks.at(recvcounts, displs), root));
    }

    Collective scatter(
            String call, Object sendbuf, int sendoffset, int sendcount, Datatype sendtype,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype, int root) {
        rooted(call, root);
        check.room(call, RECEIVE, recvbuf, recvoffset, recvcount, recvtype);
        if (rank == root) {
            check.blocks(call, SEND, sendbuf, sendoffset, sendcount, sendtype);
        }
        Region send = rank == root ? sendtype.region(sendbuf, sendoffset) : null;
        Region receive = recvtype.region(recvbuf, recvoffset);
        return make(call, root, () -> Scatter.run(peers, send, Blocks.even(sendcount), receive, recvcount, root));
    }

    Collective scatterv(
            String call, Object sendbuf, int sendoffset, int[] sendcounts, int[] displs, Datatype sendtype,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype, int root) {
        rooted(call, root);
        check.room(call, RECEIVE, recvbuf, recvoffset, recvcount, recvtype);
        if (rank == root) {
            check.blocks(call, SEND, sendbuf, sendoffset, sendcounts, displs, sendtype);
        }
        Region send = rank == root ? sendtype.region(sendbuf, sendoffset) : null;
        Region receive = recvtype.region(recvbuf, recvoffset);
        return make(call, root, () -> Scatter.run(peers, send, Blocks.at(sendcounts, displs), receive, recvcount, root));
    }

    Collective allgather(
            String call, Object sendbuf, int sendoffset, int sendcount, Datatype sendtype,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype) {
        comm.requireLive(call);
        check.buffer(call, SEND, sendbuf, sendoffset, sendcount, sendtype);
        check.roomForBlocks(call, RECEIVE, recvbuf, recvoffset, recvcount, recvtype);
        Region send = sendtype.region(sendbuf, sendoffset);
        Region receive = recvtype.region(recvbuf, recvoffset);
        return make(call, () -> allgather(send, sendcount, receive, Blocks.even(recvcount)));
    }

    Collective allgatherv(
            String call, Object sendbuf, int sendoffset, int sendcount, Datatype sendtype,
            Object recvbuf, int recvoffset, int[] recvcounts, int[] displs, Datatype recvtype) {
        comm.requireLive(call);
        check.buffer(call, SEND, sendbuf, sendoffset, sendcount, sendtype);
        check.roomForBlocks(call, RECEIVE, recvbuf, recvoffset, recvcounts, displs, recvtype);
        Region send = sendtype.region(sendbuf, sendoffset);
        Region receive = recvtype.region(recvbuf, recvoffset);
        return make(call, () -> allgather(send, sendcount, receive, Blocks.at(recvcounts, displs)));
    }

    Collective alltoall(
            String call, Object sendbuf, int sendoffset, int sendcount, Datatype sendtype,
            Object recvbuf, int recvoffset, int recvcount, Datatype recvtype) {
        comm.requireLive(call);
        check.blocks(call, SEND, sendbuf, sendoffset, sendcount, sendtype);
        check.roomForBlocks(call, RECEIVE, recvbuf, recvoffset, recvcount, recvtype);
        Region send = sendtype.region(sendbuf, sendoffset);
        Region receive = recvtype.region(recvbuf, recvoffset);
        Blocks sendBlocks = Blocks.even(sendcount);
        return make(call, () -> alltoall(send, sendBlocks, receive, Blocks.even(recvcount)));
    }

    Collective alltoallv(
            String call, Object sendbuf, int sendoffset, int[] sendcounts, int[] sdispls, Datatype sendtype,
            Object recvbuf, int recvoffset, int[] recvcounts, int[] rdispls, Datatype recvtype) {
        comm.requireLive(call);
        check.blocks(call, SEND, sendbuf, sendoffset, sendcounts, sdispls, sendtype);
        check.roomForBlocks(call, RECEIVE, recvbuf, recvoffset, recvcounts, rdispls, recvtype);
        Region send = sendtype.region(sendbuf, sendoffset);
        Region receive = recvtype.region(recvbuf, recvoffset);
        Blocks sendBlocks = Blocks.at(sendcounts, sdispls);
        return make(call, () -> alltoall(send, sendBlocks, receive, Blocks.at(recvcounts, rdispls)));
    }

    /** Displacements in bytes, datatypes by rank. */
    Collective alltoallw(
            String call, Object sendbuf, int[] sendcounts, int[] sdispls, Datatype[] sendtypes,
            Object recvbuf, int[] recvcounts, int[] rdispls, Datatype[] recvtypes) {
        comm.requireLive(call);
        int ranks = comm.addressed.Size();
        Block[] send = blocks(call, SEND, sendbuf, sendcounts, sdispls, sendtypes, ranks);
        check.writable(call, RECEIVE, recvbuf);
        Block[] receive = blocks(call, RECEIVE, recvbuf, recvcounts, rdispls, recvtypes, ranks);
        return make(call, () -> alltoall(send, receive));
    }

    private Block[] blocks(
            String call, String what, Object buffer, int[] counts, int[] displs, Datatype[] types, int ranks) {
        check.perRank(call, "counts of the " + what, counts);
        check.perRank(call, "displacements of the " + what, displs);
        if (types == null || types.length < ranks) {
            throw check.error(MPI.ERR_TYPE, call, "the datatypes of the " + what + " are fewer than the " + ranks + " ranks");
        }
        Block[] blocks = new Block[ranks];
        for (int peer = 0; peer < ranks; peer++) {
            check.count(call, what, counts[peer], types[peer]);
            if (counts[peer] > 0 && displs[peer] % types[peer].bytes() != 0) {
                throw check.error(
                        MPI.ERR_ARG, call,
                        "displacement " + peer + " of the " + what + " is " + displs[peer] + " bytes, expected a multiple of "
                                + types[peer].bytes());
            }
            int at = displs[peer] / types[peer].bytes();
            check.buffer(call, what, buffer, at, counts[peer], types[peer]);
            blocks[peer] = new Block(types[peer].region(buffer, at), 0, counts[peer]);
        }
        return blocks;
    }

    // ---- what calls with the same arguments come to, within a group and between two

    void allgather(Region send, int count, Region receive, Blocks blocks) throws ReceiveException {
        Allgather.run(peers, send, count, receive, blocks);
    }

    void alltoall(Region send, Blocks sendBlocks, Region receive, Blocks receiveBlocks) throws ReceiveException {
        Alltoall.run(peers, send, sendBlocks, receive, receiveBlocks);
    }

    void alltoall(Block[] send, Block[] receive) throws ReceiveException {
        Alltoall.run(peers, send, receive);
    }

    void allreduce(Region send, Region receive, int count, Reduction op) throws ReceiveException {
        Allreduce.run(peers, send, receive, count, op);
    }

    void reduceScatter(Region send, Region receive, Blocks blocks, Reduction op) throws ReceiveException {
        ReduceScatter.run(peers, send, receive, blocks, op);
    }

    // ---- between neighbours in a topology

    Collective neighbourAllgather(
            String call, Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount,
            Datatype recvtype) {
        ArgumentCheck sources = check.among(comm.sources(call).length);
        check.buffer(call, SEND, sendbuf, 0, sendcount, sendtype);
        sources.roomForBlocks(call, RECEIVE, recvbuf, 0, recvcount, recvtype);
        return neighbourAllgather(call, sendbuf, sendcount, sendtype, recvbuf, Blocks.even(recvcount), recvtype);
    }

    Collective neighbourAllgatherv(
            String call, Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int[] recvcounts,
            int[] displs, Datatype recvtype) {
        ArgumentCheck sources = check.among(comm.sources(call).length);
        check.buffer(call, SEND, sendbuf, 0, sendcount, sendtype);
        sources.roomForBlocks(call, RECEIVE, recvbuf, 0, recvcounts, displs, recvtype);
        Blocks blocks = Blocks.at(recvcounts, displs);
        return neighbourAllgather(call, sendbuf, sendcount, sendtype, recvbuf, blocks, recvtype);
    }

    private Collective neighbourAllgather(
            String call, Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, Blocks blocks,
            Datatype recvtype) {
        Region send = sendtype.region(sendbuf, 0);
        Region receive = recvtype.region(recvbuf, 0);
        Neighbours neighbours = comm.neighbours(call);
        return make(call, () -> neighbours.allgather(peers, send, sendcount, receive, blocks));
    }

    Collective neighbourAlltoall(
            String call, Object sendbuf, int sendcount, Datatype sendtype, Object recvbuf, int recvcount,
            Datatype recvtype) {
        ArgumentCheck destinations = check.among(comm.destinations(call).length);
        ArgumentCheck sources = check.among(comm.sources(call).length);
        destinations.blocks(call, SEND, sendbuf, 0, sendcount, sendtype);
        sources.roomForBlocks(call, RECEIVE, recvbuf, 0, recvcount, recvtype);
        return neighbourAlltoall(
                call, sendtype.region(sendbuf, 0), Blocks.even(sendcount),
                recvtype.region(recvbuf, 0), Blocks.even(recvcount));
    }

    Collective neighbourAlltoallv(
            String call, Object sendbuf, int[] sendcounts, int[] sdispls, Datatype sendtype,
            Object recvbuf, int[] recvcounts, int[] rdispls, Datatype recvtype) {
        ArgumentCheck destinations = check.among(comm.destinations(call).length);
        ArgumentCheck sources = check.among(comm.sources(call).length);
        destinations.blocks(call, SEND, sendbuf, 0, sendcounts, sdispls, sendtype);
        sources.roomForBlocks(call, RECEIVE, recvbuf, 0, recvcounts, rdispls, recvtype);
        return neighbourAlltoall(
                call, sendtype.region(sendbuf, 0), Blocks.at(sendcounts, sdispls),
                recvtype.region(recvbuf, 0), Blocks.at(recvcounts, rdispls));
    }

    private Collective neighbourAlltoall(
            String call, Region send, Blocks sendBlocks, Region receive, Blocks receiveBlocks) {
        Neighbours neighbours = comm.neighbours(call);
        return make(call, () -> neighbours.alltoall(peers, send, sendBlocks, receive, receiveBlocks));
    }

    // ---- reductions

    /** {@link Collective.Body} of a reduction. */
    interface Reducing {
        void run(Region send, Region receive) throws ReceiveException;
    }

    /** A reduction, for which structs in buffers of the other byte order are turned, and its result is turned back. */
    final Collective reduction(
            String call, int root, Datatype type, Region send, int sendCount, Region receive, int receiveCount, Reducing body) {
        return make(call, root, () -> {
            Region result = type.inNativeOrder(receive, receiveCount);
            body.run(type.inNativeOrder(send, sendCount), result);
            type.putBack(result, receive, receiveCount);
        });
    }

    Collective reduce(
            String call, Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype type, Op op,
            int root) {
        rooted(call, root);
        reducible(call, sendbuf, sendoffset, count, type, op);
        if (rank == root) {
            check.room(call, RECEIVE, recvbuf, recvoffset, count, type);
        }
        Region send = type.region(sendbuf, sendoffset);
        Region receive = rank == root ? type.region(recvbuf, recvoffset) : null;
        return reduction(call, root, type, send, count, receive, count, (in, out) -> Reduce.run(peers, in, out, count, op.on(type), root));
    }

    Collective allreduce(
            String call, Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype type,
            Op op) {
        comm.requireLive(call);
        reducible(call, sendbuf, sendoffset, count, type, op);
        check.room(call, RECEIVE, recvbuf, recvoffset, count, type);
        Region send = type.region(sendbuf, sendoffset);
        Region receive = type.region(recvbuf, recvoffset);
        return reduction(
                call, Collective.NO_ROOT, type, send, count, receive, count,
                (in, out) -> allreduce(in, out, count, op.on(type)));
    }

    Collective reduceScatter(
            String call, Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int[] recvcounts, Datatype type,
            Op op) {
        comm.requireLive(call);
        check.among(size).adjacent(call, SEND, sendbuf, sendoffset, recvcounts, type);
        check.operation(call, op, type);
        int own = recvcounts[rank];
        check.room(call, RECEIVE, recvbuf, recvoffset, own, type);
        Blocks blocks = Blocks.adjacent(recvcounts, size);
        Region send = type.region(sendbuf, sendoffset);
        Region receive = type.region(recvbuf, recvoffset);
        return reduction(
                call, Collective.NO_ROOT, type, send, blocks.total(size), receive, own,
                (in, out) -> reduceScatter(in, out, blocks, op.on(type)));
    }

    Collective reduceScatterBlock(
            String call, Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int recvcount, Datatype type,
            Op op) {
        int[] recvcounts = new int[size];
        Arrays.fill(recvcounts, recvcount);
        return reduceScatter(call, sendbuf, sendoffset, recvbuf, recvoffset, recvcounts, type, op);
    }

    Collective scan(
            String call, Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype type,
            Op op) {
        comm.requireLive(call);
        reducible(call, sendbuf, sendoffset, count, type, op);
        check.room(call, RECEIVE, recvbuf, recvoffset, count, type);
        Region send = type.region(sendbuf, sendoffset);
        Region receive = type.region(recvbuf, recvoffset);
        return reduction(
                call, Collective.NO_ROOT, type, send, count, receive, count,
                (in, out) -> Scan.run(peers, in, out, count, op.on(type)));
    }

    Collective exscan(
            String call, Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int count, Datatype type,
            Op op) {
        comm.requireLive(call);
        reducible(call, sendbuf, sendoffset, count, type, op);
        if (rank > 0) {
            check.room(call, RECEIVE, recvbuf, recvoffset, count, type);
        }
        Region send = type.region(sendbuf, sendoffset);
        Region receive = rank > 0 ? type.region(recvbuf, recvoffset) : null;
        return reduction(
                call, Collective.NO_ROOT, type, send, count, receive, count,
                (in, out) -> Scan.runExclusive(peers, in, out, count, op.on(type)));
    }

    // ---- Open MPI's forms with one buffer

    Collective gatherInPlace(String call, Object buf, int count, Datatype type, int root) {
        return isRoot(root)
                ? gather(call, buf, start(call, RECEIVE, buf, count, type), count, type, buf, 0, count, type, root)
                : gather(call, buf, 0, count, type, null, 0, count, type, root);
    }

    Collective gathervInPlace(
            String call, Object recvbuf, int[] recvcounts, int[] displs, Datatype type, int root) {
        atRoot(call, root, true);
        int own = start(call, RECEIVE, recvbuf, recvcounts, displs, type);
        return gatherv(call, recvbuf, own, recvcounts[rank], type, recvbuf, 0, recvcounts, displs, type, root);
    }

    Collective gathervToRoot(String call, Object sendbuf, int sendcount, Datatype type, int root) {
        atRoot(call, root, false);
        return gatherv(call, sendbuf, 0, sendcount, type, null, 0, null, null, type, root);
    }

    Collective scatterInPlace(String call, Object buf, int count, Datatype type, int root) {
        return isRoot(root)
                ? scatter(call, buf, 0, count, type, buf, start(call, SEND, buf, count, type), count, type, root)
                : scatter(call, null, 0, count, type, buf, 0, count, type, root);
    }

    Collective scattervInPlace(
            String call, Object sendbuf, int[] sendcounts, int[] displs, Datatype type, int root) {
        atRoot(call, root, true);
        int own = start(call, SEND, sendbuf, sendcounts, displs, type);
        return scatterv(call, sendbuf, 0, sendcounts, displs, type, sendbuf, own, sendcounts[rank], type, root);
    }

    Collective scattervFromRoot(String call, Object recvbuf, int recvcount, Datatype type, int root) {
        atRoot(call, root, false);
        return scatterv(call, null, 0, null, null, type, recvbuf, 0, recvcount, type, root);
    }

    Collective allgatherInPlace(String call, Object buf, int count, Datatype type) {
        return allgather(call, buf, start(call, RECEIVE, buf, count, type), count, type, buf, 0, count, type);
    }

    Collective allgathervInPlace(String call, Object recvbuf, int[] recvcounts, int[] displs, Datatype type) {
        int own = start(call, RECEIVE, recvbuf, recvcounts, displs, type);
        return allgatherv(call, recvbuf, own, recvcounts[rank], type, recvbuf, 0, recvcounts, displs, type);
    }

    /** Index of the first base element of the rank's own block in a buffer that has one for every rank. */
    private int start(String call, String what, Object buffer, int count, Datatype type) {
        check.blocks(call, what, buffer, 0, count, type);
        return rank * count * type.layout().extent();
    }

    private int start(String call, String what, Object buffer, int[] counts, int[] displs, Datatype type) {
        check.blocks(call, what, buffer, 0, counts, displs, type);
        return displs[rank] * type.layout().extent();
    }

    private void atRoot(String call, int root, boolean expected) {
        rooted(call, root);
        // A root between two groups has no block of its own.
        if ((expected ? rank == root : isRoot(root)) != expected) {
            throw check.error(
                    MPI.ERR_ROOT, call,
                    "root is " + root + ", and this form is for " + (expected ? "the root only" : "all but the root"));
        }
    }

    /** Whether a root argument names the calling rank. */
    boolean isRoot(int root) {
        return rank == root;
    }

    void rooted(String call, int root) {
        comm.requireLive(call);
        check.root(call, root);
    }

    final void reducible(String call, Object buf, int offset, int count, Datatype type, Op op) {
        check.buffer(call, SEND, buf, offset, count, type);
        check.operation(call, op, type);
    }
}
