package org.posthouse.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.bench.rank.BufferKind;
import org.posthouse.bench.rank.Phase;
import org.posthouse.mpj.progress.Settings;
import org.posthouse.relay.config.RelayConfig.Mode;
import org.posthouse.relay.config.SocketKind;

/** Who takes part in what, and which plans are refused. */
class BenchPlanTest {
    private static final List<Variant> PLAIN = List.of(new Variant(Mode.MULTIPLEXED, SocketKind.AUTO, false, BufferKind.DIRECT, "", Optional.empty()));

    private static BenchPlan plan(List<Benchmark> tests, int ranks, int pairs, List<Variant> variants) {
        return new BenchPlan(tests, ranks, pairs, 1, 1, List.of(1, 6, 8), variants, true, 3, 10, 1000);
    }

    @Test
    void eachSeriesIsMeasuredInEachLayout() {
        List<Series> series =
                plan(List.of(Benchmark.PINGPONG), 2, 1, PLAIN).in(List.of(ProcessLayout.TOGETHER, ProcessLayout.SPLIT)).seriesOf(Benchmark.PINGPONG);
        assertThat(series).hasSize(2 * (3 + PLAIN.size()));
        assertThat(series.getFirst()).isEqualTo(new Series(Carrier.RAW, PLAIN.getFirst(), ProcessLayout.TOGETHER));
        assertThat(series.getLast()).isEqualTo(new Series(Carrier.RELAY, PLAIN.getLast(), ProcessLayout.SPLIT));
    }

    @Test
    void partnersAreHalfTheRanksApartAndEachInItsOwnHalf() {
        BenchPlan plan = plan(List.of(Benchmark.PINGPONG, Benchmark.BCAST), 7, 2, PLAIN);
        assertThat(plan.ranksOf(Benchmark.PINGPING)).containsExactly(0, 1, 4, 5);
        for (int rank = 0; rank < 7; rank++) {
            int site = ProcessLayout.SITES.rank(rank, 7);
            assertThat(Benchmark.partner(rank, 7)).as("of rank %d", rank).isEqualTo(site == 0 ? rank + 4 : rank - 4);
        }
        assertThat(plan.ranksOf(Benchmark.BCAST)).containsExactly(0, 1, 2, 3, 4, 5, 6);
        assertThat(plan.groups(Benchmark.PINGPONG)).isEqualTo(2);
        assertThat(plan.groups(Benchmark.BCAST)).isEqualTo(1);
    }

    @Test
    void sizesFitTheTest() {
        BenchPlan plan = plan(List.of(Benchmark.REDUCE), 2, 1, PLAIN);
        assertThat(plan.sizesOf(Benchmark.REDUCE)).containsExactly(4, 8);
        assertThat(plan.sizesOf(Benchmark.GATHER)).containsExactly(1, 6, 8);
        assertThat(plan.sizesOf(Benchmark.BARRIER)).containsExactly(0);
    }

    @Test
    void onlyPingPongHasBaselinesAndEveryVariantIsOneSeries() {
        List<Variant> variants = Variant.all(List.of(Mode.MULTIPLEXED), List.of(SocketKind.AUTO), List.of(false, true), List.of(BufferKind.DIRECT),
                List.of("", "bcast=chain"), List.of(new Settings(0), new Settings(4096)));
        BenchPlan plan = plan(List.of(Benchmark.PINGPONG, Benchmark.BCAST), 4, 1, variants);
        assertThat(plan.seriesOf(Benchmark.PINGPONG)).extracting(Series::label).hasSize(11).doesNotHaveDuplicates()
                .startsWith("raw", "vertx forwarder", "selector forwarder", "multiplexed none eager 0");
        assertThat(plan.seriesOf(Benchmark.BCAST)).extracting(Series::label).hasSize(8)
                .contains("multiplexed process bcast=chain eager 4k");
        assertThat(plan.phases()).isEqualTo((11 + 8) * 3 * (1 + 3));
    }

    @Test
    void aStreamHasItsPingPongBesideItAndAShorterWindowOfLargeMessages() {
        BenchPlan plan = plan(List.of(Benchmark.STREAM), 2, 1, PLAIN);
        assertThat(plan.seriesOf(Benchmark.STREAM)).extracting(Series::label)
                .containsExactly("raw", "vertx forwarder", "selector forwarder", "multiplexed none");
        assertThat(plan.phases()).isEqualTo(2 * 4 * 3 * (1 + 3));
        assertThat(plan.legs(Benchmark.STREAM, 64)).isEqualTo(1000);
        assertThat(plan.legs(Benchmark.STREAM, 1 << 20)).isEqualTo(64);
        assertThat(plan.legs(Benchmark.STREAM, 64 << 20)).isEqualTo(1);
        assertThat(plan.legs(Benchmark.PINGPONG, 64)).isEqualTo(2);
    }

    @Test
    void phaseTimeoutGrowsWithTransferredBytes() {
        BenchPlan plan = new BenchPlan(List.of(Benchmark.ALLTOALL), 64, 1, 1, 1, List.of(1 << 20), PLAIN, false, 1, 1_000, 4);
        assertThat(plan.allowanceMs(phase(Benchmark.BARRIER, 0, 5))).isEqualTo(124_000);
        assertThat(plan.allowanceMs(phase(Benchmark.ALLTOALL, 1 << 20, 64))).as("275 GB at 50 MB/s, four times").isEqualTo(124_000 + 21_990_232);
        assertThat(plan.allowanceMs(phase(Benchmark.BCAST, 1 << 20, 64))).as("8.6 GB at 50 MB/s, four times").isEqualTo(124_000 + 687_192);
        assertThat(plan.allowanceMs(new Phase(Phase.Work.CONNECT, Benchmark.PINGPONG, Carrier.RAW, 65_000, 0))).isEqualTo(124_000);
        assertThat(plan.allowanceMs(phase(Benchmark.ALLTOALL, 16 << 20, 3_000))).as("no more than a socket waits").isEqualTo(Integer.MAX_VALUE);
    }

    private static Phase phase(Benchmark test, int bytes, int iterations) {
        return new Phase(Phase.Work.MEASURE, test, Carrier.RELAY, bytes, iterations);
    }

    @Test
    void algorithmThatIsNotKnownIsRefusedBeforeAnythingStarts() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Variant(Mode.MULTIPLEXED, SocketKind.AUTO, false, BufferKind.DIRECT, "bcast=chian", Optional.empty()))
                .withMessageContaining("\"chian\" of bcast is not known")
                .withMessageContaining("bcast=flat|");
    }

    @Test
    void variantsReachTheRanksByTheirEnvironment() {
        assertThat(new Variant(Mode.MULTIPLEXED, SocketKind.AUTO, true, BufferKind.DIRECT, "", Optional.empty()).environment())
                .as("whatever the bench's own environment says").isEqualTo(Map.of(
                        "POSTHOUSE_COLLECTIVES", "", "POSTHOUSE_EAGER_MAX", "262144", "POSTHOUSE_BUSY_POLL_US", "0"));
        assertThat(new Variant(Mode.MULTIPLEXED, SocketKind.AUTO, false, BufferKind.DIRECT, "bcast=chain,allreduce=doubling", Optional.of(new Settings(65_536)))
                .environment())
                .isEqualTo(Map.of(
                        "POSTHOUSE_COLLECTIVES", "bcast=chain,allreduce=doubling", "POSTHOUSE_EAGER_MAX", "65536",
                        "POSTHOUSE_BUSY_POLL_US", "0"));
        Variant polling = new Variant(Mode.MULTIPLEXED, SocketKind.AUTO, false, BufferKind.DIRECT, "", Optional.of(new Settings(4096, 50)));
        assertThat(polling.environment()).containsEntry("POSTHOUSE_BUSY_POLL_US", "50");
        assertThat(polling.label()).isEqualTo("multiplexed none eager 4k poll 50");
        assertThat(new Variant(Mode.MULTIPLEXED, SocketKind.AUTO, false, BufferKind.ARRAY, "", Optional.empty()).label())
                .isEqualTo("multiplexed none array");
    }

    @Test
    void refusesImpossiblePlans() {
        assertThatIllegalArgumentException().isThrownBy(() -> plan(List.of(Benchmark.BCAST), 1, 1, PLAIN))
                .withMessage("1 ranks, expected 2 to 1024");
        assertThatIllegalArgumentException().isThrownBy(() -> plan(List.of(Benchmark.PINGPONG), 4, 3, PLAIN))
                .withMessage("4 ranks, expected 6 to 1024");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new BenchPlan(
                        List.of(Benchmark.ALLTOALL), 64, 1, 1, 1, List.of(64 << 20), PLAIN, false, 1, 10, 1000))
                .withMessageContaining("67108864 bytes for each of 64 ranks");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new BenchPlan(
                        List.of(Benchmark.BCAST), 5, 1, 2, 3, List.of(1), PLAIN, false, 1, 10, 1000))
                .withMessage("3 relays per site, expected 1 to 2");
    }
}
