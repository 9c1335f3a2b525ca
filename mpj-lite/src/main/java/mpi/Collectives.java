package mpi;

import java.util.Arrays;
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
import org.posthouse.mpj.operation.ReceiveException;

/**
 * The collectives of an intracommunicator: checks the arguments of each call, under the name that the program calls it
 * by, and makes a {@link Collective} of it. Buffers that have no meaning at a rank are not looked at there.
 */
class Collectives {
    static final String SEND = "send buffer";
    static final String RECEIVE = "receive buffer";

    final Communicator comm;
    final ArgumentCheck check;
    final CollectiveSequencer turns;
    private final Peers peers;
    final int rank;
    final int size;

    /** @param along whose turns are in one order with these; null if nobody's */
    Collectives(Communicator comm, Peers peers, int firstTag, Collectives along) {
        this.comm = comm;
        this.peers = peers;
        check = comm.check;
        turns = new CollectiveSequencer(comm, firstTag, along == null ? null : along.turns);
        rank = comm.group.Rank();
        size = comm.group.Size();
    }

    // ---- what an image needs

    final int firstTag() {
        return turns.firstTag();
    }

    /** As {@link CollectiveSequencer#isUnderWay}. */
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

    /** As {@link CollectiveSequencer#afterwards}. */
    final void afterwards(Runnable what) {
        turns.afterwards(what);
    }

    Collective bcast(String call, Elements elements, int root) {
        rooted(call, root);
        if (rank == root) {
            check.buffer(call, "buffer", elements);
        } else {
            check.room(call, "buffer", elements);
        }
        Region region = elements.region();
        return make(call, root, () -> Broadcast.run(peers, region, elements.count(), root));
    }

    Collective gather(String call, Elements send, RankBlocks receive, int root) {
        rooted(call, root);
        check.buffer(call, SEND, send);
        if (rank == root) {
            check.room(call, RECEIVE, receive);
        }
        Region from = send.region();
        Region to = rank == root ? receive.region() : null;
        return make(call, root, () -> Gather.run(peers, from, send.count(), to, receive.blocks(), root));
    }

    Collective scatter(String call, RankBlocks send, Elements receive, int root) {
        rooted(call, root);
        check.room(call, RECEIVE, receive);
        if (rank == root) {
            check.blocks(call, SEND, send);
        }
        Region from = rank == root ? send.region() : null;
        Region to = receive.region();
        return make(call, root, () -> Scatter.run(peers, from, send.blocks(), to, receive.count(), root));
    }

    final Collective allgather(String call, Elements send, RankBlocks receive) {
        comm.requireLive(call);
        check.buffer(call, SEND, send);
        check.result(call, RECEIVE, receive);
        Region from = send.region();
        Region to = receive.region();
        return make(call, () -> allgather(from, send.count(), to, receive.blocks()));
    }

    final Collective alltoall(String call, RankBlocks send, RankBlocks receive) {
        comm.requireLive(call);
        check.blocks(call, SEND, send);
        check.room(call, RECEIVE, receive);
        Region from = send.region();
        Region to = receive.region();
        return make(call, () -> alltoall(from, send.blocks(), to, receive.blocks()));
    }

    /** Displacements in bytes, datatypes by rank. */
    Collective alltoallw(
            String call, Object sendbuf, int[] sendcounts, int[] sdispls, Datatype[] sendtypes,
            Object recvbuf, int[] recvcounts, int[] rdispls, Datatype[] recvtypes) {
        comm.requireLive(call);
        int ranks = comm.addressed.Size();
        Block[] send = blocks(call, SEND, sendbuf, sendcounts, sdispls, sendtypes, ranks);
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
            if (what.equals(RECEIVE)) {
                check.room(call, what, buffer, at, counts[peer], types[peer]);
            } else {
                check.buffer(call, what, buffer, at, counts[peer], types[peer]);
            }
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

    final Collective neighbourAllgather(String call, Elements send, RankBlocks receive) {
        ArgumentCheck sources = check.among(comm.sources(call).length);
        check.buffer(call, SEND, send);
        sources.room(call, RECEIVE, receive);
        Region from = send.region();
        Region to = receive.region();
        Neighbours neighbours = comm.neighbours(call);
        return make(call, () -> neighbours.allgather(peers, from, send.count(), to, receive.blocks()));
    }

    final Collective neighbourAlltoall(String call, RankBlocks send, RankBlocks receive) {
        ArgumentCheck destinations = check.among(comm.destinations(call).length);
        ArgumentCheck sources = check.among(comm.sources(call).length);
        destinations.blocks(call, SEND, send);
        sources.room(call, RECEIVE, receive);
        Region from = send.region();
        Region to = receive.region();
        Neighbours neighbours = comm.neighbours(call);
        return make(call, () -> neighbours.alltoall(peers, from, send.blocks(), to, receive.blocks()));
    }

    // ---- reductions

    /** {@link Collective.Body} of a reduction. */
    interface Reducing {
        void run(Region send, Region receive) throws ReceiveException;
    }

    /**
     * A reduction, for which structs in buffers of the other byte order are turned, and its result is turned back.
     *
     * @param send null where nothing is given, as is {@code receive} where nothing comes
     */
    final Collective reduction(String call, int root, Datatype type, Elements send, Elements receive, Reducing body) {
        Region from = send == null ? null : send.region();
        Region to = receive == null ? null : receive.region();
        return make(call, root, () -> {
            Region in = from == null ? null : type.inNativeOrder(from, send.count());
            if (to == null) {
                body.run(in, null);
                return;
            }
            Region result = type.inNativeOrder(to, receive.count());
            body.run(in, result);
            type.putBack(result, to, receive.count());
        });
    }

    Collective reduce(String call, Elements send, Elements receive, Op op, int root) {
        rooted(call, root);
        reducible(call, send, op);
        if (rank == root) {
            check.result(call, RECEIVE, receive);
        }
        return reduction(
                call, root, send.type(), send, rank == root ? receive : null,
                (in, out) -> Reduce.run(peers, in, out, send.count(), op.on(send.type()), root));
    }

    final Collective allreduce(String call, Elements send, Elements receive, Op op) {
        comm.requireLive(call);
        reducible(call, send, op);
        check.result(call, RECEIVE, receive);
        return reduction(
                call, Collective.NO_ROOT, send.type(), send, receive,
                (in, out) -> allreduce(in, out, send.count(), op.on(send.type())));
    }

    /** @param recvcounts of each rank; the elements to be combined are one after another in the send buffer */
    final Collective reduceScatter(
            String call, Object sendbuf, int sendoffset, Object recvbuf, int recvoffset, int[] recvcounts, Datatype type,
            Op op) {
        comm.requireLive(call);
        check.among(size).adjacent(call, SEND, sendbuf, sendoffset, recvcounts, type);
        check.operation(call, op, type);
        Elements receive = new Elements(recvbuf, recvoffset, recvcounts[rank], type);
        check.result(call, RECEIVE, receive);
        Blocks blocks = Blocks.adjacent(recvcounts, size);
        return reduction(
                call, Collective.NO_ROOT, type, new Elements(sendbuf, sendoffset, blocks.total(size), type), receive,
                (in, out) -> reduceScatter(in, out, blocks, op.on(type)));
    }

    final Collective reduceScatterBlock(String call, Object sendbuf, int sendoffset, Elements receive, Op op) {
        int[] recvcounts = new int[size];
        Arrays.fill(recvcounts, receive.count());
        return reduceScatter(call, sendbuf, sendoffset, receive.buffer(), receive.offset(), recvcounts, receive.type(), op);
    }

    final Collective scan(String call, Elements send, Elements receive, Op op) {
        comm.requireLive(call);
        reducible(call, send, op);
        check.result(call, RECEIVE, receive);
        return reduction(
                call, Collective.NO_ROOT, send.type(), send, receive,
                (in, out) -> Scan.run(peers, in, out, send.count(), op.on(send.type())));
    }

    final Collective exscan(String call, Elements send, Elements receive, Op op) {
        comm.requireLive(call);
        reducible(call, send, op);
        if (rank > 0) {
            check.result(call, RECEIVE, receive);
        }
        return reduction(
                call, Collective.NO_ROOT, send.type(), send, rank > 0 ? receive : null,
                (in, out) -> Scan.runExclusive(peers, in, out, send.count(), op.on(send.type())));
    }

    // ---- Open MPI's forms with one buffer

    final Collective gatherInPlace(String call, Object buf, int count, Datatype type, int root) {
        RankBlocks all = RankBlocks.even(buf, 0, count, type);
        return gather(call, isRoot(root) ? own(call, RECEIVE, all) : new Elements(buf, 0, count, type), all, root);
    }

    final Collective gathervInPlace(String call, RankBlocks all, int root) {
        inOneGroup(call);
        atRoot(call, root, true);
        return gather(call, own(call, RECEIVE, all), all, root);
    }

    final Collective gathervToRoot(String call, Elements send, int root) {
        atRoot(call, root, false);
        return gather(call, send, RankBlocks.at(null, 0, null, null, send.type()), root);
    }

    final Collective scatterInPlace(String call, Object buf, int count, Datatype type, int root) {
        RankBlocks all = RankBlocks.even(buf, 0, count, type);
        return scatter(call, all, isRoot(root) ? own(call, SEND, all) : new Elements(buf, 0, count, type), root);
    }

    final Collective scattervInPlace(String call, RankBlocks all, int root) {
        inOneGroup(call);
        atRoot(call, root, true);
        return scatter(call, all, own(call, SEND, all), root);
    }

    final Collective scattervFromRoot(String call, Elements receive, int root) {
        atRoot(call, root, false);
        return scatter(call, RankBlocks.at(null, 0, null, null, receive.type()), receive, root);
    }

    final Collective allgatherInPlace(String call, RankBlocks all) {
        inOneGroup(call);
        return allgather(call, own(call, RECEIVE, all), all);
    }

    /** Refuses what needs the rank's own block among those of all that it addresses: between two groups none of them is its own. */
    void inOneGroup(String call) {}

    /** The rank's own block of a buffer that has one for every rank. */
    private Elements own(String call, String what, RankBlocks all) {
        check.blocks(call, what, all);
        return all.of(rank);
    }

    private void atRoot(String call, int root, boolean expected) {
        rooted(call, root);
        if (isRoot(root) != expected) {
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

    final void reducible(String call, Elements send, Op op) {
        check.buffer(call, SEND, send);
        check.operation(call, op, send.type());
    }
}
