package mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.LocalWorld;

/** Messages and bytes per collective, as docs/collectives.md tells them; and what crosses between sites. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CollectiveCostTest {
    private static final int RANKS = 8;
    private static final int LARGE = 400_000;
    private static final int LARGE_SEGMENTS = (LARGE * 4 + 65_535) / 65_536;

    private static final int ANNOUNCEMENT_BYTES = 16;

    /** Bytes of a broadcast along a tree, where its root announces it to four of the other ranks, and sends it straight to three. */
    private static final int MIDDLE = 2_000;

    private interface Call {
        void on(Intracomm world, int rank);
    }

    private static LocalWorld run(LocalWorld machine, int ranks, Call call) {
        Ranks.run(machine, ranks, call::on);
        return machine;
    }

    private static void costs(long messages, long bytes, Call call) {
        LocalWorld machine = run(new LocalWorld(RANKS), RANKS, call);
        assertThat(machine.messages()).isEqualTo(messages);
        assertThat(machine.bytes()).isEqualTo(bytes);
    }

    private static int[] ints(int count) {
        return new int[count];
    }

    @Test
    void barrierTakesTwoMessagesARank() {
        costs(2 * (RANKS - 1), 0, (world, rank) -> world.Barrier());
    }

    @Test
    void bcastCarriesEachByteToEachRankOnce() {
        costs(RANKS - 1, 7 * 40, (world, rank) -> world.Bcast(ints(10), 0, 10, MPI.INT, 3));
        costs(
                (RANKS - 1) * (LARGE_SEGMENTS + 1), 7L * (4 * LARGE + ANNOUNCEMENT_BYTES),
                (world, rank) -> world.Bcast(ints(LARGE), 0, LARGE, MPI.INT, 3));
    }

    @Test
    void rootOfTreeBcastAnnouncesItToNonChildren() {
        costs(
                RANKS - 1 + 4, 7L * 4 * MIDDLE + 4 * ANNOUNCEMENT_BYTES,
                (world, rank) -> world.Bcast(ints(MIDDLE), 0, MIDDLE, MPI.INT, 3));
    }

    @Test
    void reduceCarriesEachRanksValuesOnce() {
        costs(RANKS - 1, 7 * 40, (world, rank) -> world.Reduce(ints(10), 0, ints(10), 0, 10, MPI.INT, MPI.SUM, 5));
        costs(
                (RANKS - 1) * LARGE_SEGMENTS, 7L * 4 * LARGE,
                (world, rank) -> world.Reduce(ints(LARGE), 0, ints(LARGE), 0, LARGE, MPI.INT, MPI.SUM, 5));
    }

    @Test
    void allreduceGoesUpAndDownWhenSmallAndHalvesWhenLarge() {
        costs(
                2 * (RANKS - 1), 2 * 7 * 40,
                (world, rank) -> world.Allreduce(ints(10), 0, ints(10), 0, 10, MPI.INT, MPI.SUM));
        costs(
                RANKS * 2 * 3, 2L * 7 * 4 * LARGE,
                (world, rank) -> world.Allreduce(ints(LARGE), 0, ints(LARGE), 0, LARGE, MPI.INT, MPI.SUM));
    }

    @Test
    void gatherAndScatterGoStraight() {
        costs(
                RANKS - 1, 7 * 40,
                (world, rank) -> world.Gather(ints(10), 0, 10, MPI.INT, ints(80), 0, 10, MPI.INT, 2));
        costs(
                RANKS - 1, 7 * 40,
                (world, rank) -> world.Scatter(ints(80), 0, 10, MPI.INT, ints(10), 0, 10, MPI.INT, 2));
    }

    @Test
    void allgatherTakesFewMessagesWhenSmallAndARingWhenLarge() {
        costs(
                2 * (RANKS - 1), 7 * 40 + 7 * 320,
                (world, rank) -> world.Allgather(ints(10), 0, 10, MPI.INT, ints(80), 0, 10, MPI.INT));
        int count = LARGE / RANKS;
        costs(
                RANKS * (RANKS - 1), 8L * 7 * 4 * count,
                (world, rank) -> world.Allgather(ints(count), 0, count, MPI.INT, ints(LARGE), 0, count, MPI.INT));
    }

    @Test
    void alltoallTakesOneMessageAPairUntilThereAreManyRanks() {
        costs(
                RANKS * (RANKS - 1), 56 * 40,
                (world, rank) -> world.Alltoall(ints(80), 0, 10, MPI.INT, ints(80), 0, 10, MPI.INT));
        int ranks = 32;
        LocalWorld machine =
                run(new LocalWorld(ranks), ranks, (world, rank) -> world.Alltoall(ints(10 * ranks), 0, 10, MPI.INT, ints(10 * ranks), 0, 10, MPI.INT));
        assertThat(machine.messages()).isEqualTo(ranks * 5);
        assertThat(machine.bytes()).isEqualTo(ranks * 5 * 16 * 40);
    }

    @Test
    void reduceScatterGoesThroughARootWhenSmallAndStraightWhenLarge() {
        int[] tens = {10, 10, 10, 10, 10, 10, 10, 10};
        costs(
                2 * (RANKS - 1), 7 * 320 + 7 * 40,
                (world, rank) -> world.Reduce_scatter(ints(80), 0, ints(10), 0, tens, MPI.INT, MPI.SUM));
        int count = LARGE / RANKS;
        int[] shares = {count, count, count, count, count, count, count, count};
        costs(
                RANKS * (RANKS - 1), 7L * 4 * LARGE,
                (world, rank) -> world.Reduce_scatter(ints(LARGE), 0, ints(count), 0, shares, MPI.INT, MPI.SUM));
    }

    @Test
    void scanDoublesWhenSmallAndChainsWhenLarge() {
        costs(7 + 6 + 4, 17 * 40, (world, rank) -> world.Scan(ints(10), 0, ints(10), 0, 10, MPI.INT, MPI.SUM));
        costs(
                (RANKS - 1) * LARGE_SEGMENTS, 7L * 4 * LARGE,
                (world, rank) -> world.Scan(ints(LARGE), 0, ints(LARGE), 0, LARGE, MPI.INT, MPI.SUM));
    }

    private static long crossings(Call call, int from, int to) {
        return run(new LocalWorld(9).sites(0, 1, 2, 0, 1, 2, 0, 1, 2), 9, call).messages(from, to);
    }

    @Test
    void dataEntersAndLeavesEachSiteOnce() {
        Call bcast = (world, rank) -> world.Bcast(ints(100), 0, 100, MPI.INT, 4);
        assertThat(crossings(bcast, 1, 0)).isEqualTo(1);
        assertThat(crossings(bcast, 1, 2)).isEqualTo(1);
        assertThat(crossings(bcast, 0, 2) + crossings(bcast, 2, 0)).isZero();
        Call reduce = (world, rank) -> world.Reduce(ints(100), 0, ints(100), 0, 100, MPI.INT, MPI.SUM, 5);
        assertThat(crossings(reduce, 0, 2)).isEqualTo(1);
        assertThat(crossings(reduce, 1, 2)).isEqualTo(1);
        assertThat(crossings(reduce, 2, 0) + crossings(reduce, 0, 1)).isZero();
        Call barrier = (world, rank) -> world.Barrier();
        assertThat(crossings(barrier, 0, 1)).isEqualTo(1);
        assertThat(crossings(barrier, 1, 0)).isEqualTo(1);
        Call allreduce = (world, rank) -> world.Allreduce(ints(100), 0, ints(100), 0, 100, MPI.INT, MPI.SUM);
        assertThat(crossings(allreduce, 0, 1)).isEqualTo(1);
        assertThat(crossings(allreduce, 1, 0)).isEqualTo(1);
    }

    @Test
    void largeDataEntersEachSiteOnceToo() {
        Call bcast = (world, rank) -> world.Bcast(ints(LARGE), 0, LARGE, MPI.INT, 4);
        assertThat(crossings(bcast, 1, 2)).as("and the announcement").isEqualTo(LARGE_SEGMENTS + 1);
        assertThat(crossings(bcast, 2, 0)).isEqualTo(LARGE_SEGMENTS);
        assertThat(crossings(bcast, 1, 0)).as("the announcement").isEqualTo(1);
        int count = LARGE / 9;
        Call allgather =
                (world, rank) -> world.Allgather(ints(count), 0, count, MPI.INT, ints(9 * count), 0, count, MPI.INT);
        // A ring in site order: eight of nine blocks leave each site, into the next one only.
        assertThat(crossings(allgather, 0, 1)).isEqualTo(8);
        assertThat(crossings(allgather, 1, 0)).isZero();
    }

    /** 1 MiB of ints. */
    private static final int MEBIBYTE = 1 << 18;

    private static void crosses(long thereBytes, long backBytes, Call call) {
        LocalWorld machine = run(new LocalWorld(RANKS).sites(0, 0, 0, 0, 1, 1, 1, 1), RANKS, call);
        assertThat(machine.bytes(0, 1)).isEqualTo(thereBytes);
        assertThat(machine.bytes(1, 0)).isEqualTo(backBytes);
    }

    @Test
    void eachByteCrossesBetweenTwoSitesOnce() {
        long bytes = 4L * MEBIBYTE;
        crosses(bytes + ANNOUNCEMENT_BYTES, 0, (world, rank) -> world.Bcast(ints(MEBIBYTE), 0, MEBIBYTE, MPI.INT, 0));
        crosses(0, bytes + ANNOUNCEMENT_BYTES, (world, rank) -> world.Bcast(ints(MEBIBYTE), 0, MEBIBYTE, MPI.INT, 6));
        crosses(40, 0, (world, rank) -> world.Bcast(ints(10), 0, 10, MPI.INT, 2));
        crosses(
                0, bytes,
                (world, rank) -> world.Reduce(ints(MEBIBYTE), 0, ints(MEBIBYTE), 0, MEBIBYTE, MPI.INT, MPI.SUM, 1));
        for (int count : new int[] {10, 10_000, MEBIBYTE}) {
            crosses(
                    4L * count, 4L * count,
                    (world, rank) -> world.Allreduce(ints(count), 0, ints(count), 0, count, MPI.INT, MPI.SUM));
        }
        // The ring: seven of eight blocks leave each site.
        int count = MEBIBYTE / RANKS;
        crosses(
                7 * bytes / RANKS, 7 * bytes / RANKS,
                (world, rank) -> world.Allgather(ints(count), 0, count, MPI.INT, ints(MEBIBYTE), 0, count, MPI.INT));
        // Four ranks give a block of 128 KiB to each of four others.
        crosses(
                2 * bytes, 2 * bytes,
                (world, rank) -> world.Alltoall(ints(MEBIBYTE), 0, count, MPI.INT, ints(MEBIBYTE), 0, count, MPI.INT));
    }

    @Test
    void smallBlocksOfManyRanksCrossTogether() {
        int ranks = 32;
        int[] sites = new int[ranks];
        Arrays.setAll(sites, rank -> rank % 2);
        LocalWorld machine = run(new LocalWorld(ranks).sites(sites), ranks,
                (world, rank) -> world.Alltoall(ints(10 * ranks), 0, 10, MPI.INT, ints(10 * ranks), 0, 10, MPI.INT));
        assertThat(machine.messages(0, 1)).isEqualTo(1);
        assertThat(machine.bytes(0, 1)).isEqualTo(16 * 16 * 40);
    }
}
