package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.mpj.LocalWorld;

/** An intercommunicator's collectives between groups of different sizes, in both directions. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class UnevenGroupsTest {
    /** One rank's view of both groups: ranks of the first are 0 to first - 1 of the world. */
    private record Side(Intercomm comm, int world, boolean isFirst, int own, int other) {
        /** The world rank of a rank of the other group. */
        int across(int rank) {
            return isFirst ? own + rank : rank;
        }

        /** The root argument when the last rank of a group is the root. */
        int root(boolean inFirst) {
            if (isFirst != inFirst) {
                return other - 1;
            }
            return comm.Rank() == own - 1 ? MPI.ROOT : MPI.PROC_NULL;
        }

        int[] fromAcross(int each) {
            return IntStream.range(0, other * each).map(i -> 100 * across(i / each) + i % each).toArray();
        }

        int sumAcross() {
            return IntStream.range(0, other).map(i -> across(i) + 1).sum();
        }
    }

    private interface Body {
        void run(Side side);
    }

    private static void run(int first, int second, Body body) {
        int size = first + second;
        Ranks.run(new LocalWorld(size).seed(first * 10 + second), size, (world, rank) -> {
            boolean isFirst = rank < first;
            Intracomm local = world.Split(isFirst ? 0 : 1, 0);
            Intercomm both = world.Create_intercomm(local, 0, isFirst ? first : 0, 3);
            Side side = new Side(both, rank, isFirst, isFirst ? first : second, isFirst ? second : first);
            assertThat(both.Remote_size()).isEqualTo(side.other);
            body.run(side);
            both.barrier();
        });
    }

    private static int[] own(Side side, int count) {
        return IntStream.range(0, count).map(i -> 100 * side.world + i).toArray();
    }

    @ParameterizedTest
    @CsvSource({"1, 4", "4, 1", "2, 3", "5, 2", "3, 3", "1, 1"})
    void rootedOnes(int first, int second) {
        run(first, second, side -> {
            for (boolean inFirst : new boolean[] {true, false}) {
                int root = side.root(inFirst);
                boolean across = root >= 0;
                int rootAcross = side.across(side.other - 1);
                int[] cast = across ? new int[2] : own(side, 2);
                side.comm.bcast(cast, 2, MPI.INT, root);
                assertThat(cast).containsExactly(
                        across ? new int[] {100 * rootAcross, 100 * rootAcross + 1} : own(side, 2));

                int[] gathered = new int[2 * side.other];
                side.comm.gather(own(side, 2), 2, MPI.INT, gathered, 2, MPI.INT, root);
                assertThat(gathered).containsExactly(
                        root == MPI.ROOT ? side.fromAcross(2) : new int[2 * side.other]);

                int[] part = {-1, -1};
                side.comm.scatter(own(side, 2 * side.other), 2, MPI.INT, part, 2, MPI.INT, root);
                int from = 100 * rootAcross + 2 * side.comm.Rank();
                assertThat(part).containsExactly(across ? new int[] {from, from + 1} : new int[] {-1, -1});

                int[] sum = {-1};
                side.comm.reduce(new int[] {side.world + 1}, sum, 1, MPI.INT, MPI.SUM, root);
                assertThat(sum[0]).isEqualTo(root == MPI.ROOT ? side.sumAcross() : -1);
            }
        });
    }

    /** The root's group mates give nothing, and what they pass has no meaning. */
    @ParameterizedTest
    @CsvSource({"1, 4", "2, 3"})
    void noneButTheRootIsLookedAtInItsGroup(int first, int second) {
        run(first, second, side -> {
            int root = side.root(false);
            boolean isMate = root == MPI.PROC_NULL;
            Datatype type = isMate ? null : MPI.INT;
            int[] sum = {-1};
            side.comm.reduce(isMate ? null : own(side, 1), isMate ? null : sum, isMate ? -1 : 1, type, MPI.MAX, root);
            side.comm.reduce(isMate ? null : own(side, 1), isMate ? null : sum, 1, type, isMate ? null : MPI.MAX, root);
            assertThat(sum[0]).isEqualTo(root == MPI.ROOT ? 100 * side.across(side.other - 1) : -1);
        });
    }

    /** The root has the other forms. Whose rank is the root's number in the other group is no root. */
    @ParameterizedTest
    @CsvSource({"1, 4", "2, 3", "3, 3"})
    void formsWithOneBuffer(int first, int second) {
        run(first, second, side -> {
            int root = side.root(true);
            int[] two = IntStream.generate(() -> 2).limit(side.other).toArray();
            int[] displs = IntStream.range(0, side.other).map(i -> 2 * i).toArray();
            int[] all = new int[2 * side.other];
            int[] part = {-1, -1};
            int[] blocks = own(side, 2 * side.other);
            if (root == MPI.ROOT) {
                side.comm.gather(new int[0], 0, MPI.INT, all, 2, MPI.INT, root);
                assertThat(all).containsExactly(side.fromAcross(2));
                side.comm.gatherv(new int[0], 0, MPI.INT, all, two, displs, MPI.INT, root);
                assertThat(all).containsExactly(side.fromAcross(2));
                side.comm.scatter(blocks, 2, MPI.INT, part, 2, MPI.INT, root);
                side.comm.scatterv(blocks, two, displs, MPI.INT, part, 2, MPI.INT, root);
                return;
            }
            side.comm.gather(own(side, 40), 2, MPI.INT, root);
            side.comm.gatherv(own(side, 2), 2, MPI.INT, root);
            for (int form = 0; form < 2; form++) {
                Arrays.fill(part, -1);
                if (form == 0) {
                    side.comm.scatter(part, 2, MPI.INT, root);
                } else {
                    side.comm.scatterv(part, 2, MPI.INT, root);
                }
                int from = root < 0 ? -1 : 100 * side.across(root) + 2 * side.comm.Rank();
                assertThat(part).containsExactly(from, root < 0 ? -1 : from + 1);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"1, 4", "4, 1", "2, 3", "5, 2", "3, 3", "1, 1"})
    void thoseOfAll(int first, int second) {
        run(first, second, side -> {
            int[] all = new int[2 * side.other];
            side.comm.allGather(own(side, 2), 2, MPI.INT, all, 2, MPI.INT);
            assertThat(all).containsExactly(side.fromAcross(2));

            int[] exchanged = new int[side.other];
            side.comm.allToAll(own(side, side.other), 1, MPI.INT, exchanged, 1, MPI.INT);
            assertThat(exchanged).containsExactly(IntStream.range(0, side.other)
                    .map(i -> 100 * side.across(i) + side.comm.Rank())
                    .toArray());

            int[] sum = {side.world + 1};
            side.comm.allReduce(sum, 1, MPI.INT, MPI.SUM);
            assertThat(sum[0]).isEqualTo(side.sumAcross());

            gatheredBlocks(side);
            dealtOut(side);
        });
    }

    /** Rank r of a group gives r + 1 elements. */
    private static void gatheredBlocks(Side side) {
        int[] counts = IntStream.range(0, side.other).map(i -> i + 1).toArray();
        int[] displs = IntStream.range(0, side.other).map(i -> i * side.other).toArray();
        int[] expected = new int[side.other * side.other];
        for (int from = 0; from < side.other; from++) {
            Arrays.fill(expected, displs[from], displs[from] + counts[from], side.across(from) + 7);
        }
        int[] mine = new int[side.comm.Rank() + 1];
        Arrays.fill(mine, side.world + 7);
        int[] in = new int[expected.length];
        side.comm.allGatherv(mine, mine.length, MPI.INT, in, counts, displs, MPI.INT);
        assertThat(in).containsExactly(expected);
        int[] later = new int[expected.length];
        side.comm.iAllGatherv(mine, mine.length, MPI.INT, later, counts, displs, MPI.INT).waitFor();
        assertThat(later).containsExactly(expected);
    }

    /** Both groups reduce as many elements: each rank gets a share that its group's size divides. */
    private static void dealtOut(Side side) {
        int total = side.own * side.other;
        int[] counts = new int[side.own];
        Arrays.fill(counts, side.other);
        int[] mine = IntStream.range(0, total).map(i -> (side.world + 1) * (i + 1)).toArray();
        int[] part = new int[side.other];
        side.comm.reduceScatter(mine, part, counts, MPI.INT, MPI.SUM);
        int start = side.comm.Rank() * side.other;
        assertThat(part).containsExactly(IntStream.range(start, start + side.other)
                .map(i -> side.sumAcross() * (i + 1))
                .toArray());
    }
}
