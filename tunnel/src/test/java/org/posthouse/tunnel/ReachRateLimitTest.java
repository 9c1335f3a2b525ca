package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.LinkReach;

/** Neighbours that say more than they may. Times are made up. */
class ReachRateLimitTest {
    private final ReachRateLimit pace = new ReachRateLimit(100);

    @Test
    void admitsOneAnnouncementPerIntervalAndDeliversTheLatest() {
        int counted = 0;
        for (int now = 0; now <= 1_000; now++) {
            counted += pace.admits("m", reach(now), now) ? 1 : 0;
            Map<String, LinkReach> due = pace.due(now);
            assertThat(due).isEmpty();
        }
        assertThat(counted).isEqualTo(11);
        assertThat(pace.admits("m", reach(1_001), 1_001)).isFalse();
        assertThat(pace.admits("m", reach(1_002), 1_002)).isFalse();
        assertThat(pace.nextNanos(1_002)).isEqualTo(98);
        assertThat(pace.due(1_099)).isEmpty();
        assertThat(pace.due(1_100)).isEqualTo(Map.of("m", reach(1_002)));
        assertThat(pace.nextNanos(1_100)).as("nothing waits").isNegative();
        assertThat(pace.admits("m", reach(1_199), 1_199)).as("what waited counts, too").isFalse();
    }

    @Test
    void waitingAnnouncementIsDroppedOnceNewerIsAdmitted() {
        pace.admits("m", reach(0), 0);
        pace.admits("m", reach(1), 50);
        assertThat(pace.admits("m", reach(2), 200)).as("the timer is late").isTrue();
        assertThat(pace.due(1_000)).isEmpty();
    }

    @Test
    void nobodyWaitsForAnother() {
        assertThat(pace.admits("m", reach(0), 0)).isTrue();
        assertThat(pace.admits("n", reach(1), 1)).isTrue();
        pace.admits("m", reach(2), 2);
        pace.admits("n", reach(3), 3);
        assertThat(pace.due(100)).containsOnlyKeys("m");
        pace.forget("n");
        assertThat(pace.due(1_000)).as("its link is down").isEmpty();
        assertThat(pace.admits("n", reach(4), 1_000)).isTrue();
    }

    private static LinkReach reach(int micros) {
        return new LinkReach(List.of(new LinkReach.Entry("x", micros, 0, List.of())));
    }
}
