package org.posthouse.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies of a rank that are started again, where the probability has a simple form. */
class RestartModelTest {
    @Test
    void oneCopyIsLostWithItsFirstFailure() {
        assertThat(RestartModel.lost(1, 0.3, 1_000, 30)).isCloseTo(-Math.expm1(-0.3), within(1e-12));
        assertThat(RestartModel.lost(1, 1e-200, 1_000, 30)).isCloseTo(1e-200, within(1e-208));
    }

    @Test
    void withoutARestartAllCopiesFailEachByItself() {
        for (int degree = 1; degree <= 16; degree++) {
            double expected = Math.pow(-Math.expm1(-0.3), degree);
            assertThat(RestartModel.lost(degree, 0.3, 1, 1e15)).as("degree %d", degree).isCloseTo(expected, within(1e-9 * expected));
        }
    }

    /** r! / (r - 1)! ... failures in a row, each within the restart of those before: r h (R h)^(r - 1) in a time of 1, where that is small. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5, 8, 16})
    void rareLossesAreRuns(int degree) {
        double hazard = 1e-9;
        double restart = 1e-7;
        double expected = degree * hazard * Math.pow(hazard * restart, degree - 1);
        double computed = RestartModel.lost(degree, hazard, 1, restart);
        assertThat(computed).isCloseTo(expected, within(1e-4 * expected));
    }

    @Test
    void aCertainLossIsCertain() {
        assertThat(RestartModel.lost(3, 1e6, 1, 1e-3)).isEqualTo(1);
    }
}
