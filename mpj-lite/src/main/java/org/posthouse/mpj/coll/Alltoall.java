package org.posthouse.mpj.coll;

import java.util.stream.IntStream;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;

/**
 * Alltoall, Alltoallv and Alltoallw: direct messages from rank to rank. Small blocks of equal length that all ranks
 * know use log n steps, in which blocks of several ranks are combined, or one message from site to site.
 */
public final class Alltoall {
    /** Steps under way at one rank. */
    private static final int WINDOW = 8;

    /** From this block size on, the steps under way are limited to WINDOW_BYTES together, at least one step. */
    private static final long LARGE_BLOCK_BYTES = 256 * 1024;

    private static final long WINDOW_BYTES = 512 * 1024;

    private Alltoall() {}

    /** A block to each rank, and one from each. The regions may lie in one array. */
    public static void run(Peers peers, Region send, Blocks sendBlocks, Region receive, Blocks receiveBlocks)
            throws ReceiveException {
        peers.begin();
        int size = peers.size();
        Block[] given = sendBlocks.in(send, size);
        Block[] got = receiveBlocks.in(receive, size);
        if (!sendBlocks.areEven()) {
            rotation(peers, given, got);
        } else {
            switch (peers.algorithms().alltoall(peers.call(send.bytes(sendBlocks.count(0)), true))) {
                case ROTATION -> rotation(peers, given, got);
                case BRUCK -> bruck(peers, given, got);
                case SITES -> new SiteExchange(peers, given[0]).run(given, got);
            }
        }
        peers.end();
    }

    /** Alltoallw: blocks of any datatypes; one for each rank in both arrays. */
    public static void run(Peers peers, Block[] send, Block[] receive) throws ReceiveException {
        peers.begin();
        rotation(peers, send, receive);
        peers.end();
    }

    /**
     * In step s each rank sends to the rank s places on and receives from the one s places back. So no two ranks send
     * to the same one in one step. A few steps are under way at once.
     */
    static void rotation(Peers peers, Block[] send, Block[] receive) {
        int size = peers.size();
        int rank = peers.rank();
        Block[] given = Block.safeFrom(peers, receive, send);
        Block own = given[rank];
        given[rank] = null;
        Content[] contents = peers.contents(given);
        peers.keep(own, receive[rank]);
        Operation[][] pairs = new Operation[size][];
        int window = stepsUnderWay(contents);
        for (int step = 1; step < size; step++) {
            if (step > window) {
                peers.awaitAll(pairs[step - window]);
            }
            int to = (rank + step) % size;
            int from = (rank + size - step) % size;
            pairs[step] = peers.exchange(from, receive[from].sink(), to, contents[to]);
        }
        for (int step = Math.max(1, size - window); step < size; step++) {
            peers.awaitAll(pairs[step]);
        }
    }

    /**
     * Each rank may choose by itself: a step waits for earlier steps only. If all large blocks were under way at once,
     * they would evict each other from the caches on their way through the relay.
     */
    static int stepsUnderWay(Content[] leaving) {
        long largest = 0;
        for (Content content : leaving) {
            largest = Math.max(largest, content == null ? 0 : content.bytes());
        }
        return largest < LARGE_BLOCK_BYTES ? WINDOW : (int) Math.max(1, WINDOW_BYTES / largest);
    }

    /**
     * Block i of the room is for the rank i places on. In the step of distance d all blocks whose i has the bit d move
     * d places on. Each block arrives when all bits of its path are done. (Bruck et al., "Efficient Algorithms for
     * All-to-All Communications", 1997.)
     */
    private static void bruck(Peers peers, Block[] send, Block[] receive) {
        int size = peers.size();
        int rank = peers.rank();
        int length = send[0].region().dataElements(send[0].count());
        Region room = peers.packedScratch(send[0].region(), Math.multiplyExact(size, length));
        for (int i = 0; i < size; i++) {
            peers.keep(send[(rank + i) % size], new Block(room, i * length, length));
        }
        for (int distance = 1; distance < size; distance *= 2) {
            int bit = distance;
            int[] moving = IntStream.range(0, size).filter(i -> (i & bit) != 0).toArray();
            Region leaving = peers.packedScratch(room, moving.length * length);
            Region coming = peers.packedScratch(room, moving.length * length);
            for (int k = 0; k < moving.length; k++) {
                peers.move(room, moving[k] * length, leaving, k * length, length);
            }
            peers.awaitAll(peers.exchange(
                    (rank + size - distance) % size, coming.sink(0, moving.length * length),
                    (rank + distance) % size, peers.content(leaving, 0, moving.length * length)));
            for (int k = 0; k < moving.length; k++) {
                peers.move(coming, k * length, room, moving[k] * length, length);
            }
        }
        for (int i = 0; i < size; i++) {
            peers.keep(new Block(room, i * length, length), receive[(rank + size - i) % size]);
        }
    }
}
