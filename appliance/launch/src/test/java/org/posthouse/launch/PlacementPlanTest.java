package org.posthouse.launch;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PlacementPlanTest {
    @Test
    void consecutiveRanksAreARange() {
        assertThat(PlacementPlan.words(List.of(7))).isEqualTo("rank 7");
        assertThat(PlacementPlan.words(List.of(3, 0, 1, 2, 8))).isEqualTo("ranks 0-3, 8");
        assertThat(PlacementPlan.words(List.of(0, 2, 4))).isEqualTo("ranks 0, 2, 4");
    }
}
