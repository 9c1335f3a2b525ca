package org.posthouse.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When a line of a bench counts as warm, and how much of it is then measured. */
class WarmUpPolicyTest {
    private static final WarmUpPolicy PACE = new WarmUpPolicy(1, 1, 3, 6, 20, true);

    @Test
    void isWarmWhenTwoPhasesAreNearEachOther() {
        assertThat(PACE.isWarm(3, 100, 96, 20)).isTrue();
        assertThat(PACE.isWarm(3, 100, 94, 20)).isFalse();
        assertThat(PACE.isWarm(2, 100, 100, 20)).isFalse();
    }

    @Test
    void isWarmAfterSoManyPhasesAtTheLatest() {
        assertThat(PACE.isWarm(5, 100, 50, 20)).isFalse();
        assertThat(PACE.isWarm(6, 100, 50, 20)).isTrue();
    }

    @Test
    void isNotWarmBeforeItsTime() {
        assertThat(PACE.isWarm(3, 100, 100, 19)).isFalse();
        assertThat(PACE.isWarm(6, 100, 50, 19)).isFalse();
        assertThat(PACE.isWarm(20, 100, 50, 20)).isTrue();
    }

    @Test
    void seriesInStepMeasureTheSlowestsIterations() {
        assertThat(PACE.measured(new int[] {900, 6, 300})).containsExactly(6, 6, 6);
        assertThat(PACE.measured(new int[0])).isEmpty();
    }

    @Test
    void besideTunnelsEachSeriesFillsItsPhase() {
        assertThat(WarmUpPolicy.OF_TUNNELS.measured(new int[] {900, 6, 300})).containsExactly(900, 6, 300);
    }
}
