package org.posthouse.tunnel.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class BackOffTest {
    @Test
    void doublesWithJitterUpToTheLongestAndStartsAgain() {
        for (int seed = 0; seed < 200; seed++) {
            BackOff backOff = new BackOff(100, 5_000, new Random(seed));
            int[] steps = {100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000};
            for (int step : steps) {
                assertThat(backOff.nextMs()).isBetween(step / 2L, (long) step);
            }
            backOff.reset();
            assertThat(backOff.nextMs()).isBetween(50L, 100L);
        }
    }

    @Test
    void neverPausesLessThanAMillisecond() {
        BackOff backOff = new BackOff(1, 1, new Random(1));
        assertThat(backOff.nextMs()).isEqualTo(1);
        assertThat(backOff.nextMs()).isEqualTo(1);
    }
}
