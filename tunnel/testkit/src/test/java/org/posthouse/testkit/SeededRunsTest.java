package org.posthouse.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** What a closing count of many worlds means. */
final class SeededRunsTest {
    @Test
    void theSeedsOfTheBuildMustHaveEnoughOfIt() {
        SeededRuns.tally("kills", 11, 10, true);
        assertThatThrownBy(() -> SeededRuns.tally("kills", 10, 10, true)).isInstanceOf(AssertionError.class).hasMessageContaining("kills");
    }

    /** A tame world is no fault of what is tested in it. */
    @Test
    void otherSeedsMayBeTame() {
        SeededRuns.tally("kills", 0, 10, false);
    }
}
