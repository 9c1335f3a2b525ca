package org.posthouse.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;
import org.posthouse.relay.ResourceUsage;
import org.posthouse.relay.threads.ThreadUsage;

/** The arithmetic between what ranks and relays tell and what the report says. */
class StatisticsTest {
    private static final List<long[]> TWO_RANKS = List.of(new long[] {100, 900, 300}, new long[] {200, 400, 500});

    @Test
    void anOperationOfAllLastsAsLongAsItsSlowestRank() {
        Histogram phase = Statistics.phase(TWO_RANKS, true, 1);
        assertThat(phase.getTotalCount()).isEqualTo(3);
        assertThat(phase.getMinValue()).isEqualTo(200);
        assertThat(phase.getValueAtPercentile(50)).isEqualTo(500);
        assertThat(phase.getMaxValue()).isEqualTo(900);
    }

    @Test
    void pairsAreMeasuredEachForItself() {
        Histogram phase = Statistics.phase(TWO_RANKS, false, 2);
        assertThat(phase.getTotalCount()).isEqualTo(6);
        assertThat(phase.getMinValue()).isEqualTo(50);
        assertThat(phase.getMaxValue()).isEqualTo(450);
    }

    @Test
    void tellsTheTimesOfAllPhasesAndTheMedianOfEach() {
        Statistics times = new Statistics();
        times.add(Statistics.phase(List.of(new long[] {1_000, 2_000, 3_000}), true, 1));
        times.add(Statistics.phase(List.of(new long[] {5_000, 6_000, 11_000}), true, 1));
        assertThat(times.operations()).isEqualTo(6);
        assertThat(times.minMicros()).isCloseTo(1, within(0.01));
        assertThat(times.averageMicros()).isCloseTo(28 / 6.0, within(0.01));
        assertThat(times.medianMicros()).isCloseTo(3, within(0.01));
        assertThat(times.p99Micros()).isCloseTo(11, within(0.02));
        assertThat(times.maxMicros()).isCloseTo(11, within(0.02));
        assertThat(times.medians().get(0)).isCloseTo(2, within(0.01));
        assertThat(times.medians().get(1)).isCloseTo(6, within(0.01));
    }

    @Test
    void ratiosAreTakenPlaceByPlace() {
        assertThat(Medians.ratio(List.of(2.0, 30.0, 8.0), List.of(1.0, 10.0, 2.0))).isEqualTo(3);
        assertThat(Medians.of(new double[] {4, 1, 3, 2})).isEqualTo(2.5);
    }

    private static ResourceUsage load(long cpuNanos, long heapBytes, long frames, long payloadBytes, long linkBytes) {
        return new ResourceUsage(List.of(new ThreadUsage(7, cpuNanos, heapBytes)), frames, payloadBytes, linkBytes);
    }

    @Test
    void everyThreadOfARelayIsPaid() {
        ResourceUsage load = new ResourceUsage(List.of(new ThreadUsage(1, 2_000, 5), new ThreadUsage(2, 4_000, 6)), 0, 0, 0);
        assertThat(Cost.of(List.of(load))).isEqualTo(new Cost(6, 11, 0, 0, 0));
    }

    @Test
    void aThreadThatRelaysShareIsPaidOnce() {
        Cost before = Cost.of(List.of(load(1_000, 40, 10, 100, 50), load(1_000, 40, 20, 200, 60)));
        Cost after = Cost.of(List.of(load(9_000, 440, 16, 140, 80), load(9_000, 440, 26, 260, 70)));
        assertThat(after.minus(before).per(4)).isEqualTo(new Cost(2, 100, 3, 25, 10));
    }

    @Test
    void costIsTheMedianOfEachPart() {
        assertThat(Cost.median(List.of(new Cost(1, 7, 9, 5, 0), new Cost(2, 9, 1, 5, 7), new Cost(30, 8, 2, 5, 8))))
                .isEqualTo(new Cost(2, 8, 2, 5, 7));
    }
}
