package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * The sending and the receiving end of a link's direction, with lanes between them that are lost alone or all together at any moment: whatever
 * the seed, each frame comes once, in every order that counts. {@code -Dposthouse.seed=N} runs one seed.
 */
class LaneModelTest {
    private static final long SEEDS = Long.getLong("posthouse.lanes.seeds", Boolean.getBoolean("posthouse.long") ? 4_000 : 2_000);

    @Test
    void laneLossNeverDropsDuplicatesOrReordersFrames() throws Exception {
        Long one = Long.getLong("posthouse.seed");
        LaneModel.Totals totals = new LaneModel.Totals();
        for (long seed = one == null ? 1 : one; seed <= (one == null ? SEEDS : one); seed++) {
            try {
                new LaneModel(seed, totals).run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
            }
        }
        if (one == null) {
            assertThat(totals.lanesLost).as("lanes lost alone").isGreaterThan(SEEDS / 2);
            assertThat(totals.sessions).as("all lanes lost").isGreaterThan(SEEDS / 2);
            assertThat(totals.restarts).as("the peer restarted").isGreaterThan(SEEDS / 10);
            assertThat(totals.repeated).as("came twice, and was dropped").isGreaterThan(SEEDS / 10);
            assertThat(totals.held).as("came before its turn").isGreaterThan(SEEDS);
            assertThat(totals.packed).as("runs that went packed").isGreaterThan(SEEDS);
        }
    }
}
