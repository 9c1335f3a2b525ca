package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class LloydTest {

    @Test
    void clusteringMatchesHandComputedResult() {
        Lloyd lloyd = new Lloyd(new double[] {1, 2, 3, 11, 12, 16}, 1, new double[] {1, 2});
        lloyd.run(100, UnaryOperator.identity());

        // 1 | 2 3 11 12 16, then 1 2 3 | 11 12 16 round the means 1 and 8.8, then 2 and 13, and there it rests.
        assertThat(lloyd.centroids()).containsExactly(2, 13);
        assertThat(lloyd.iterations()).isEqualTo(3);
        assertThat(lloyd.isAtRest()).isTrue();
        assertThat(lloyd.size(0)).isEqualTo(3);
        assertThat(lloyd.size(1)).isEqualTo(3);
        assertThat(lloyd.inertia()).isEqualTo(1 + 0 + 1 + 4 + 1 + 9);
    }

    @Test
    void stopsAtTheIterationLimit() {
        Lloyd lloyd = new Lloyd(new double[] {1, 2, 3, 11, 12, 16}, 1, new double[] {1, 2});
        lloyd.run(2, UnaryOperator.identity());

        assertThat(lloyd.iterations()).isEqualTo(2);
        assertThat(lloyd.isAtRest()).isFalse();
        assertThat(lloyd.centroids()).containsExactly(1, 8.8);
        assertThat(lloyd.inertia()).isCloseTo(0 + 1 + 4 + 4.84 + 10.24 + 51.84, within(1e-12));
    }

    @Test
    void centroidWithoutRowsStays() {
        Lloyd lloyd = new Lloyd(new double[] {0, 0, 1, 1}, 2, new double[] {0, 0, 50, 60});
        lloyd.run(100, UnaryOperator.identity());

        assertThat(lloyd.centroids()).containsExactly(0.5, 0.5, 50, 60);
        assertThat(lloyd.size(1)).isZero();
    }

    @Test
    void seedsAreLeftAlone() {
        double[] seeds = {1, 2};
        new Lloyd(new double[] {5, 6}, 1, seeds).run(10, UnaryOperator.identity());

        assertThat(seeds).containsExactly(1, 2);
    }
}
