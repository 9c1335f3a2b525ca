package org.posthouse.mpj.coll;

import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;

/**
 * The collectives of an intercommunicator (MPI-2, 7.3.2): one group receives what the other sends. They consist of
 * collectives of one group, over a root and the other group, or over a group and a message between the two leaders. So
 * data enter each site of the other group once here too.
 *
 * <p>A root argument is {@link InterPeers#ROOT} at the root, and the root's rank at the ranks of the other group. It is
 * another negative number at the other ranks of the root's group, which take no part.
 */
public final class InterCollectiveSteps {
    private InterCollectiveSteps() {}

    /** Returns when all ranks of both groups have called it. */
    public static void barrier(InterPeers peers) throws ReceiveException {
        Barrier.run(peers.all());
    }

    /** Copies the root's elements to all ranks of the other group. */
    public static void bcast(InterPeers peers, Region region, int count, int root) throws ReceiveException {
        rooted(peers, root, part -> Broadcast.upTo(part, region, count, 0));
    }

    /**
     * Collects the other group's elements at the root.
     *
     * @param send where the root is in the other group, as {@code count}
     * @param receive at the root, as {@code blocks}
     */
    public static void gather(InterPeers peers, Region send, int count, Region receive, Blocks blocks, int root)
            throws ReceiveException {
        rooted(peers, root, part -> gather(peers, part, send, count, receive, blocks));
    }

    private static void gather(
            InterPeers peers, Peers part, Region send, int count, Region receive, Blocks blocks) {
        if (part.rank() == 0) {
            Gather.phase(part, receive, 0, receive, blocks.behindEmpty(peers.remoteSize()), 0);
        } else {
            Gather.phase(part, send, count, null, null, 0);
        }
    }

    /**
     * Distributes the root's elements to the other group.
     *
     * @param send at the root, as {@code blocks}
     * @param receive where the root is in the other group, as {@code capacity}
     */
    public static void scatter(InterPeers peers, Region send, Blocks blocks, Region receive, int capacity, int root)
            throws ReceiveException {
        rooted(peers, root, part -> {
            if (part.rank() == 0) {
                Scatter.phase(part, send, blocks.behindEmpty(peers.remoteSize()), send, 0, 0);
            } else {
                Scatter.phase(part, null, null, receive, capacity, 0);
            }
        });
    }

    /** Collects each group's elements at all ranks of the other: at its leader first, which passes them on. */
    public static void allgather(InterPeers peers, Region send, int count, Region receive, Blocks blocks)
            throws ReceiveException {
        int size = peers.remoteSize();
        int total = blocks.total(size);
        boolean inPlace = blocks.areAdjacent(size);
        Blocks places = inPlace ? blocks : blocks.packed(size);
        peers.all().begin();
        Region room = inPlace ? receive : peers.all().scratch(receive, total);
        Runnable give = () -> gather(peers, peers.behind(0), send, count, null, null);
        Runnable take = () -> {
            if (peers.rank() == 0) {
                gather(peers, peers.inFront(), null, 0, room, places);
            }
        };
        inTurn(peers, take, give);
        Broadcast.phase(peers.own(), room, total, 0);
        for (int rank = 0; rank < size && !inPlace; rank++) {
            peers.all().move(room, places.position(rank), receive, blocks.position(rank), blocks.count(rank));
        }
        peers.all().end();
    }

    /**
     * The first group receives while the other sends, then the other way round. So two leaders never wait for each
     * other.
     */
    private static void inTurn(InterPeers peers, Runnable take, Runnable give) {
        if (peers.isFirst()) {
            take.run();
            give.run();
        } else {
            give.run();
            take.run();
        }
    }

    /** A block to each rank of the other group, and one from each; also with blocks of any length. */
    public static void alltoall(InterPeers peers, Region send, Blocks sendBlocks, Region receive, Blocks receiveBlocks)
            throws ReceiveException {
        int size = peers.remoteSize();
        alltoall(peers, sendBlocks.in(send, size), receiveBlocks.in(receive, size));
    }

    /** Blocks of any datatypes. */
    public static void alltoall(InterPeers peers, Block[] send, Block[] receive) throws ReceiveException {
        Neighbours.inGraph(peers.remotes(), peers.remotes()).alltoall(peers.all(), send, receive);
    }

    /**
     * Combines the other group's elements at the root.
     *
     * @param send where the root is in the other group
     * @param receive at the root
     */
    public static void reduce(InterPeers peers, Region send, Region receive, int count, Reduction op, int root)
            throws ReceiveException {
        peers.all().begin();
        if (root >= 0) {
            Region mine = peers.all().compact(op, send, count);
            Region sum = peers.rank() == 0 ? peers.all().scratch(mine, count) : null;
            Reduce.phase(peers.own(), mine, sum, count, op, 0);
            if (peers.rank() == 0) {
                peers.all().await(peers.all().send(peers.remote(root), peers.all().content(sum, 0, count)));
            }
        } else if (root == InterPeers.ROOT) {
            peers.all().await(peers.all().receive(peers.remote(0), receive.exactSink(0, count)));
        }
        peers.all().end();
    }

    /** Combines each group's elements at all ranks of the other. */
    public static void allreduce(InterPeers peers, Region send, Region receive, int count, Reduction op)
            throws ReceiveException {
        peers.all().begin();
        swapSums(peers, send, count, receive, count, op);
        Broadcast.phase(peers.own(), receive, count, 0);
        peers.all().end();
    }

    /**
     * Combines each group's elements, and deals the result out to the other.
     *
     * @param send as many elements as are in all of the other group's blocks
     * @param blocks adjacent blocks for the own group's ranks, as many elements as in the other group's
     */
    public static void reduceScatter(InterPeers peers, Region send, Region receive, Blocks blocks, Reduction op)
            throws ReceiveException {
        Peers own = peers.own();
        int total = blocks.total(own.size());
        peers.all().begin();
        Region sum = peers.rank() == 0 ? peers.all().scratch(send, total) : null;
        swapSums(peers, send, total, sum, total, op);
        Scatter.phase(own, sum, blocks, receive, blocks.count(own.rank()), 0);
        peers.all().end();
    }

    /** Each group's sum goes from its leader to the other's, into {@code result}. */
    private static void swapSums(
            InterPeers peers, Region send, int count, Region result, int resultCount, Reduction op) {
        Region mine = peers.all().compact(op, send, count);
        Region sum = peers.rank() == 0 ? peers.all().scratch(mine, count) : null;
        Reduce.phase(peers.own(), mine, sum, count, op, 0);
        if (peers.rank() == 0) {
            int other = peers.remote(0);
            Operation[] pair =
                    peers.all().exchange(other, result.exactSink(0, resultCount), other, peers.all().content(sum, 0, count));
            peers.all().awaitAll(pair);
        }
    }

    private interface Phase {
        void run(Peers part);
    }

    /** Runs a phase over the root, as rank 0, and the other group; nothing at the other ranks of the root's group. */
    private static void rooted(InterPeers peers, int root, Phase phase) throws ReceiveException {
        peers.all().begin();
        if (root == InterPeers.ROOT) {
            phase.run(peers.inFront());
        } else if (root >= 0) {
            phase.run(peers.behind(root));
        }
        peers.all().end();
    }
}
