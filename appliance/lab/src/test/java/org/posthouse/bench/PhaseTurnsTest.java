package org.posthouse.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.posthouse.bench.affinity.ProcessLayout;
import org.posthouse.bench.carrier.Carrier;
import org.posthouse.bench.rank.Benchmark;
import org.posthouse.bench.rank.BufferKind;
import org.posthouse.bench.rank.Phase;
import org.posthouse.bench.statistics.Cost;
import org.posthouse.bench.statistics.WarmUpPolicy;
import org.posthouse.relay.config.RelayConfig.Mode;
import org.posthouse.relay.config.SocketKind;

/** In which order the phases of several series are measured. */
class PhaseTurnsTest {
    private final Variant without = new Variant(Mode.MULTIPLEXED, SocketKind.AUTO, false, BufferKind.DIRECT, "", Optional.empty());
    private final Variant logged = new Variant(Mode.MULTIPLEXED, SocketKind.AUTO, true, BufferKind.DIRECT, "", Optional.empty());
    private final List<Variant> performed = new ArrayList<>();
    private final PhaseTurns turns = new PhaseTurns(
            new BenchPlan(List.of(Benchmark.PINGPONG), 2, 1, 1, 1, List.of(1), List.of(without, logged), false, 2, 10, 1),
            this::perform,
            WarmUpPolicy.OF_A_NETWORK,
            () -> Cost.of(List.of()),
            line -> {});

    private List<long[]> perform(Variant variant, Phase phase, int[] ranks) {
        performed.add(variant);
        return List.of(new long[] {1_000}, new long[0]);
    }

    private List<Figure> lines(ProcessLayout... layouts) {
        List<Series> series = new ArrayList<>();
        for (ProcessLayout layout : layouts) {
            series.add(new Series(Carrier.RELAY, without, layout));
            series.add(new Series(Carrier.RELAY, logged, layout));
        }
        return turns.lines(Benchmark.PINGPONG, 1, series);
    }

    /** A phase that an iteration fills many times over. */
    private int[] iterations(Benchmark test) throws Exception {
        BenchPlan plan = new BenchPlan(List.of(test), 64, 1, 1, 1, List.of(1), List.of(without), false, 1, 10, 1);
        PhaseTurns slow = new PhaseTurns(
                plan, (variant, phase, ranks) -> List.of(new long[] {1_000_000_000}), WarmUpPolicy.OF_A_MACHINE, () -> Cost.of(List.of()), line -> {});
        return slow.warmUp(slow.lines(test, 1, List.of(new Series(Carrier.RELAY, without))));
    }

    @Test
    void onlyWhereTheRootMovesItGoesRoundWhole() throws Exception {
        for (Benchmark test : List.of(Benchmark.BCAST, Benchmark.REDUCE, Benchmark.GATHER, Benchmark.SCATTER)) {
            assertThat(iterations(test)).as(test.word()).containsExactly(64);
        }
        for (Benchmark test : List.of(Benchmark.ALLREDUCE, Benchmark.ALLGATHER, Benchmark.ALLTOALL, Benchmark.EXCHANGE)) {
            assertThat(iterations(test)).as(test.word()).containsExactly(5);
        }
    }

    @Test
    void everyOtherRepetitionGoesBackwards() throws Exception {
        List<Figure> lines = lines(ProcessLayout.FREE);
        turns.repeat(lines, new int[] {1, 1}, 3);
        assertThat(performed).containsExactly(without, logged, logged, without, without, logged);
        assertThat(lines).allSatisfy(line -> assertThat(line.times().medians()).hasSize(3));
    }

    @Test
    void theFirstPhaseBehindAMoveDoesNotCount() throws Exception {
        List<Figure> lines = lines(ProcessLayout.TOGETHER, ProcessLayout.APART);
        turns.repeat(lines, new int[] {1, 1, 1, 1}, 2);
        assertThat(performed).containsExactly(without, without, logged, without, without, logged, logged, without, logged, logged, without);
        assertThat(lines).allSatisfy(line -> assertThat(line.times().medians()).hasSize(2));
    }
}
