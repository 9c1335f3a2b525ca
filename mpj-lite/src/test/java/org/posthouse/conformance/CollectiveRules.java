package org.posthouse.conformance;

import java.util.Arrays;
import java.util.stream.IntStream;
import mpi.Intracomm;
import mpi.MPI;

/**
 * What each collective does, whatever its spelling and whether it blocks: a rule fills buffers, lets the case make the
 * call, and compares with what follows from the ranks alone. Elements are ints that tell sender, receiver and index.
 *
 * @param offset where the elements begin in all arrays
 */
record CollectiveRules(Intracomm world, int offset) {
    /** Elements of a block of even size. */
    static final int COUNT = 2;

    /** A call on one buffer. */
    interface OneBuffer {
        void run(int[] buffer, int root);
    }

    /** A call on two buffers; without a root it is 0. */
    interface TwoBuffers {
        void run(int[] send, int[] receive, int root);
    }

    /** A call with a block of another size for each rank. */
    interface OneLayout {
        void run(int[] send, int[] receive, int[] counts, int[] displs, int root);
    }

    /** A call with blocks of different sizes on both sides. */
    interface TwoLayouts {
        void run(int[] send, int[] scounts, int[] sdispls, int[] receive, int[] rcounts, int[] rdispls);
    }

    private int rank() {
        return world.Rank();
    }

    private int size() {
        return world.Size();
    }

    private int[] roots() {
        return IntStream.of(0, size() / 2, size() - 1).distinct().toArray();
    }

    private static int value(int from, int to, int i) {
        return 1000 * (from + 1) + 10 * to + i;
    }

    /** Room for elements, in front of which {@code offset} are unused. */
    int[] room(int elements) {
        return new int[offset + elements];
    }

    /** {@code count} elements from one rank to another at {@code at} behind the offset. */
    private void fill(int[] array, int at, int count, int from, int to) {
        for (int i = 0; i < count; i++) {
            array[offset + at + i] = value(from, to, i);
        }
    }

    /** Block sizes that differ: 0 to 3. */
    static int[] counts(int size) {
        return IntStream.range(0, size).map(rank -> (rank + 2) % 4).toArray();
    }

    /** Places for the blocks, the last one first, with gaps. */
    static int[] displs(int size) {
        return IntStream.range(0, size).map(rank -> 5 * (size - 1 - rank)).toArray();
    }

    // ---- moving data

    /** Nobody leaves before all have come. All ranks of a test are on one host, whose clock is the same for all. */
    void barrier(Runnable call) {
        long[] time = {System.nanoTime()};
        call.run();
        long left = System.nanoTime();
        long[] lastToCome = new long[1];
        world.Allreduce(time, 0, lastToCome, 0, 1, MPI.LONG, MPI.MAX);
        long early = lastToCome[0] - left;
        Check.that(early <= 0, "leaving after the last has come, not " + early + " ns before");
    }

    void bcast(OneBuffer call) {
        for (int root : roots()) {
            int[] expected = room(COUNT + 1);
            fill(expected, 0, COUNT, root, 0);
            int[] buffer = rank() == root ? expected.clone() : room(COUNT + 1);
            call.run(buffer, root);
            Check.equal("broadcast from " + root, buffer, expected);
        }
    }

    void gather(TwoBuffers call) {
        for (int root : roots()) {
            int[] send = room(COUNT);
            fill(send, 0, COUNT, rank(), root);
            int[] receive = rank() == root ? room(COUNT * size()) : null;
            call.run(send, receive, root);
            if (rank() == root) {
                Check.equal("gathered at " + root, receive, inRankOrder(root));
            }
        }
    }

    private int[] inRankOrder(int to) {
        int[] expected = room(COUNT * size());
        for (int from = 0; from < size(); from++) {
            fill(expected, COUNT * from, COUNT, from, to);
        }
        return expected;
    }

    void scatter(TwoBuffers call) {
        for (int root : roots()) {
            int[] send = null;
            if (rank() == root) {
                send = room(COUNT * size());
                for (int to = 0; to < size(); to++) {
                    fill(send, COUNT * to, COUNT, root, to);
                }
            }
            int[] receive = room(COUNT + 1);
            call.run(send, receive, root);
            int[] expected = room(COUNT + 1);
            fill(expected, 0, COUNT, root, rank());
            Check.equal("scattered from " + root, receive, expected);
        }
    }

    void allgather(TwoBuffers call) {
        int[] send = room(COUNT);
        fill(send, 0, COUNT, rank(), 0);
        int[] receive = room(COUNT * size());
        call.run(send, receive, 0);
        Check.equal("gathered everywhere", receive, inRankOrder(0));
    }

    void alltoall(TwoBuffers call) {
        int[] send = room(COUNT * size());
        int[] expected = room(COUNT * size());
        for (int other = 0; other < size(); other++) {
            fill(send, COUNT * other, COUNT, rank(), other);
            fill(expected, COUNT * other, COUNT, other, rank());
        }
        int[] receive = room(COUNT * size());
        call.run(send, receive, 0);
        Check.equal("exchanged", receive, expected);
    }

    void gatherv(OneLayout call) {
        int[] counts = counts(size());
        for (int root : roots()) {
            int[] send = room(counts[rank()]);
            fill(send, 0, counts[rank()], rank(), root);
            int[] receive = rank() == root ? room(5 * size()) : null;
            call.run(send, receive, rank() == root ? counts : null, rank() == root ? displs(size()) : null, root);
            if (rank() == root) {
                Check.equal("gathered at " + root, receive, spread(root));
            }
        }
    }

    private int[] spread(int to) {
        int[] expected = room(5 * size());
        for (int from = 0; from < size(); from++) {
            fill(expected, displs(size())[from], counts(size())[from], from, to);
        }
        return expected;
    }

    void scatterv(OneLayout call) {
        int[] counts = counts(size());
        int[] displs = displs(size());
        for (int root : roots()) {
            int[] send = null;
            if (rank() == root) {
                send = room(5 * size());
                for (int to = 0; to < size(); to++) {
                    fill(send, displs[to], counts[to], root, to);
                }
            }
            int[] receive = room(counts[rank()]);
            call.run(send, receive, rank() == root ? counts : null, rank() == root ? displs : null, root);
            int[] expected = room(counts[rank()]);
            fill(expected, 0, counts[rank()], root, rank());
            Check.equal("scattered from " + root, receive, expected);
        }
    }

    void allgatherv(OneLayout call) {
        int[] counts = counts(size());
        int[] send = room(counts[rank()]);
        fill(send, 0, counts[rank()], rank(), 0);
        int[] receive = room(5 * size());
        call.run(send, receive, counts, displs(size()), 0);
        Check.equal("gathered everywhere", receive, spread(0));
    }

    void alltoallv(TwoLayouts call) {
        int[] scounts = IntStream.range(0, size()).map(to -> (rank() + 2 * to) % 4).toArray();
        int[] rcounts = IntStream.range(0, size()).map(from -> (from + 2 * rank()) % 4).toArray();
        int[] displs = displs(size());
        int[] send = room(5 * size());
        int[] expected = room(5 * size());
        for (int other = 0; other < size(); other++) {
            fill(send, displs[other], scounts[other], rank(), other);
            fill(expected, displs[other], rcounts[other], other, rank());
        }
        int[] receive = room(5 * size());
        call.run(send, scounts, displs, receive, rcounts, displs);
        Check.equal("exchanged", receive, expected);
    }

    // ---- sums

    /** The calling rank's summands, and the sum of those of ranks {@code [from, to)}. */
    int[] summands(int count) {
        return sum(rank(), rank() + 1, count);
    }

    int[] sum(int from, int to, int count) {
        int[] sum = room(count);
        for (int rank = from; rank < to; rank++) {
            for (int i = 0; i < count; i++) {
                sum[offset + i] += value(rank, i, rank * i);
            }
        }
        return sum;
    }

    void reduce(TwoBuffers call) {
        for (int root : roots()) {
            int[] receive = rank() == root ? room(COUNT) : null;
            call.run(summands(COUNT), receive, root);
            if (rank() == root) {
                Check.equal("sum at " + root, receive, sum(0, size(), COUNT));
            }
        }
    }

    void allreduce(TwoBuffers call) {
        int[] receive = room(COUNT);
        call.run(summands(COUNT), receive, 0);
        Check.equal("sum everywhere", receive, sum(0, size(), COUNT));
    }

    void scan(TwoBuffers call) {
        int[] receive = room(COUNT);
        call.run(summands(COUNT), receive, 0);
        Check.equal("sum of all up to this rank", receive, sum(0, rank() + 1, COUNT));
    }

    void exscan(TwoBuffers call) {
        int[] receive = room(COUNT);
        call.run(summands(COUNT), receive, 0);
        Check.equal("sum of all before this rank", receive, rank() == 0 ? room(COUNT) : sum(0, rank(), COUNT));
        call.run(summands(COUNT), rank() == 0 ? null : receive, 0);
    }

    void reduceScatterBlock(TwoBuffers call) {
        int[] receive = room(COUNT);
        call.run(summands(COUNT * size()), receive, 0);
        Check.equal("own block of the sum", receive, block(COUNT * rank(), COUNT));
    }

    void reduceScatter(OneLayout call) {
        int[] counts = counts(size());
        int[] receive = room(counts[rank()]);
        call.run(summands(IntStream.of(counts).sum()), receive, counts, null, 0);
        int before = IntStream.of(counts).limit(rank()).sum();
        Check.equal("own block of the sum", receive, block(before, counts[rank()]));
    }

    private int[] block(int at, int count) {
        int[] block = room(count);
        System.arraycopy(sum(0, size(), at + count), offset + at, block, offset, count);
        return block;
    }

    // ---- in place

    /** A buffer of {@code blocks} blocks in which only the calling rank's is filled. */
    private int[] ownBlock(int root) {
        int[] buffer = room(COUNT * size());
        fill(buffer, COUNT * rank(), COUNT, rank(), root);
        return buffer;
    }

    void gatherInPlace(OneBuffer call) {
        for (int root : roots()) {
            int[] buffer = rank() == root ? ownBlock(root) : room(COUNT);
            if (rank() != root) {
                fill(buffer, 0, COUNT, rank(), root);
            }
            call.run(buffer, root);
            if (rank() == root) {
                Check.equal("gathered at " + root, buffer, inRankOrder(root));
            }
        }
    }

    void scatterInPlace(OneBuffer call) {
        for (int root : roots()) {
            int[] buffer = rank() == root ? room(COUNT * size()) : room(COUNT);
            for (int to = 0; rank() == root && to < size(); to++) {
                fill(buffer, COUNT * to, COUNT, root, to);
            }
            int[] expected = buffer.clone();
            if (rank() != root) {
                fill(expected, 0, COUNT, root, rank());
            }
            call.run(buffer, root);
            Check.equal("scattered from " + root, buffer, expected);
        }
    }

    void allgatherInPlace(OneBuffer call) {
        int[] buffer = ownBlock(0);
        call.run(buffer, 0);
        Check.equal("gathered everywhere", buffer, inRankOrder(0));
    }

    /** @param send the call that all but the root make */
    void gathervInPlace(OneLayout call, OneBuffer send) {
        int[] counts = counts(size());
        for (int root : roots()) {
            int[] buffer = room(rank() == root ? 5 * size() : counts[rank()]);
            fill(buffer, rank() == root ? displs(size())[rank()] : 0, counts[rank()], rank(), root);
            if (rank() == root) {
                call.run(null, buffer, counts, displs(size()), root);
                Check.equal("gathered at " + root, buffer, spread(root));
            } else {
                send.run(buffer, root);
            }
        }
    }

    /** @param receive the call that all but the root make */
    void scattervInPlace(OneLayout call, OneBuffer receive) {
        int[] counts = counts(size());
        int[] displs = displs(size());
        for (int root : roots()) {
            if (rank() == root) {
                int[] buffer = room(5 * size());
                for (int to = 0; to < size(); to++) {
                    fill(buffer, displs[to], counts[to], root, to);
                }
                int[] before = buffer.clone();
                call.run(buffer, null, counts, displs, root);
                Check.equal("what was scattered", buffer, before);
            } else {
                int[] buffer = room(counts[rank()]);
                receive.run(buffer, root);
                int[] expected = room(counts[rank()]);
                fill(expected, 0, counts[rank()], root, rank());
                Check.equal("scattered from " + root, buffer, expected);
            }
        }
    }

    void allgathervInPlace(OneLayout call) {
        int[] buffer = room(5 * size());
        fill(buffer, displs(size())[rank()], counts(size())[rank()], rank(), 0);
        call.run(null, buffer, counts(size()), displs(size()), 0);
        Check.equal("gathered everywhere", buffer, spread(0));
    }

    void reduceInPlace(OneBuffer call) {
        for (int root : roots()) {
            int[] buffer = summands(COUNT);
            call.run(buffer, root);
            if (rank() == root) {
                Check.equal("sum at " + root, buffer, sum(0, size(), COUNT));
            }
        }
    }

    void allreduceInPlace(OneBuffer call) {
        int[] buffer = summands(COUNT);
        call.run(buffer, 0);
        Check.equal("sum everywhere", buffer, sum(0, size(), COUNT));
    }

    void scanInPlace(OneBuffer call) {
        int[] buffer = summands(COUNT);
        call.run(buffer, 0);
        Check.equal("sum of all up to this rank", buffer, sum(0, rank() + 1, COUNT));
    }

    void exscanInPlace(OneBuffer call) {
        int[] buffer = summands(COUNT);
        call.run(buffer, 0);
        if (rank() > 0) {
            Check.equal("sum of all before this rank", buffer, sum(0, rank(), COUNT));
        }
    }

    void reduceScatterBlockInPlace(OneBuffer call) {
        int[] buffer = summands(COUNT * size());
        call.run(buffer, 0);
        Check.equal("own block", Arrays.copyOf(buffer, offset + COUNT), block(COUNT * rank(), COUNT));
    }

    void reduceScatterInPlace(OneLayout call) {
        int[] counts = counts(size());
        int[] buffer = summands(IntStream.of(counts).sum());
        call.run(null, buffer, counts, null, 0);
        int before = IntStream.of(counts).limit(rank()).sum();
        Check.equal("own block", Arrays.copyOf(buffer, offset + counts[rank()]), block(before, counts[rank()]));
    }
}
