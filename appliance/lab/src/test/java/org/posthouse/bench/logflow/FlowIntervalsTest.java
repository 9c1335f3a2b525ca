package org.posthouse.bench.logflow;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Seconds in which a log holds everybody up count. */
class FlowIntervalsTest {
    private static final long SECOND = 1_000_000_000;

    @Test
    void aSecondInWhichNothingCameIsOneUntilEverythingHas() {
        FlowIntervals intervals = new FlowIntervals(9_000_000, 0);
        assertThat(intervals.isOver(SECOND - 1)).isFalse();
        assertThat(intervals.isOver(SECOND)).isTrue();
        long[] delivered = {4_000_000, 4_000_000, 9_000_000, 9_000_000};
        for (int second = 0; second < delivered.length; second++) {
            intervals.add((second + 1) * SECOND, delivered[second], 1, DirtyPages.UNKNOWN);
        }
        assertThat(intervals.all()).extracting(FlowInterval::megabytesPerSecond).containsExactly(4.0, 0.0, 5.0);
    }
}
