package org.posthouse.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PiTest {

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 10, 1000, 1_000_000})
    void errorStaysWithinItsBound(long intervals) {
        assertThat(Pi.area(intervals, 0, 1)).isCloseTo(Math.PI, within(Pi.errorBound(intervals)));
    }

    @Test
    void boundIsNotMetByLeavingOutAStrip() {
        assertThat(Pi.area(1000, 1, 1)).isNotCloseTo(Math.PI, within(Pi.errorBound(1000)));
    }

    @Test
    void sharesOfTheRanksAddUp() {
        double sum = Pi.area(1000, 0, 3) + Pi.area(1000, 1, 3) + Pi.area(1000, 2, 3);
        assertThat(sum).isCloseTo(Pi.area(1000, 0, 1), within(1e-12));
    }

    @Test
    void ranksBeyondTheStripsAddNothing() {
        assertThat(Pi.area(2, 2, 4)).isZero();
    }
}
