package org.posthouse.bench.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class LinearFitTest {
    @Test
    void pointsOnALineAreExplainedByIt() {
        LinearFit fit = LinearFit.of(new double[] {10, 20, 40}, new double[] {7, 12, 22});
        assertThat(fit.intercept()).isEqualTo(2, within(1e-9));
        assertThat(fit.slope()).isEqualTo(0.5, within(1e-9));
        assertThat(fit.determination()).isEqualTo(1, within(1e-9));
        assertThat(fit.deviation()).isEqualTo(0, within(1e-9));
    }

    /** By hand: slope 2/2, mean 7/3; residuals 1/3, -2/3, 1/3; 1 - (6/9) / (24/9). */
    @Test
    void whatIsBesideTheLineIsNotExplained() {
        LinearFit fit = LinearFit.of(new double[] {1, 2, 3}, new double[] {1, 1, 3});
        assertThat(fit.slope()).isEqualTo(1, within(1e-9));
        assertThat(fit.determination()).isEqualTo(0.75, within(1e-9));
        assertThat(fit.deviation()).isEqualTo(0.5, within(1e-9));
    }
}
