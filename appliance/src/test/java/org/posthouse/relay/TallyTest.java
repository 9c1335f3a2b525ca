package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.posthouse.relay.shard.TrafficCounters;
import org.posthouse.relay.threads.RecentPeak;
import org.posthouse.relay.threads.Strand;
import org.posthouse.relay.threads.StrandClock;
import org.posthouse.relay.threads.StrandExecutor;
import org.posthouse.status.RelayMetrics.Flow;
import org.posthouse.status.Traffic;

/** The small counters of a relay: by mode, of late, and by turn. */
final class TallyTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void trafficCountsForTheModeInWhichItGrew() {
        TrafficCounters book = new TrafficCounters();
        book.note("multiplexed", "", new Traffic(10, 8, 100, 80));
        book.note("multiplexed", "lille", new Traffic(1, 1, 1, 1));
        book.note("pooled", "", new Traffic(15, 9, 150, 90));
        book.note("multiplexed", "", new Traffic(17, 9, 151, 90));
        assertThat(book.flows())
                .containsExactlyInAnyOrder(
                        new Flow("multiplexed", "", new Traffic(12, 8, 101, 80)),
                        new Flow("multiplexed", "lille", new Traffic(1, 1, 1, 1)),
                        new Flow("pooled", "", new Traffic(5, 1, 50, 10)));
    }

    /** For a moment a job that ends may be counted nowhere. */
    @Test
    void aCountThatIsBehindForAMomentAddsNothingTwice() {
        TrafficCounters book = new TrafficCounters();
        book.note("pooled", "", new Traffic(10, 10, 100, 100));
        book.note("pooled", "", new Traffic(3, 10, 30, 100));
        assertThat(book.flows()).containsExactly(new Flow("pooled", "", new Traffic(10, 10, 100, 100)));
        book.note("pooled", "", new Traffic(11, 10, 110, 100));
        assertThat(book.flows()).containsExactly(new Flow("pooled", "", new Traffic(11, 10, 110, 100)));
    }

    @Test
    void peakLastsTenToTwentySeconds() {
        RecentPeak peak = new RecentPeak();
        long begin = -3 * SECOND;
        peak.note(7, begin);
        peak.note(2, begin + SECOND);
        assertThat(peak.at(begin + 9 * SECOND)).isEqualTo(7);
        peak.note(3, begin + 11 * SECOND);
        assertThat(peak.at(begin + 19 * SECOND)).isEqualTo(7);
        assertThat(peak.at(begin + 22 * SECOND)).isEqualTo(3);
        assertThat(peak.at(begin + 60 * SECOND)).isZero();
    }

    @Test
    void theClockStandsForATurn() {
        AtomicLong time = new AtomicLong(5);
        StrandClock clock = new StrandClock(time::getAndIncrement);
        assertThat(clock.getAsLong()).isEqualTo(5);
        assertThat(clock.getAsLong()).isEqualTo(5);
        clock.endTurn();
        assertThat(clock.getAsLong()).isEqualTo(6);
    }

    @Test
    void aStrandKnowsTheMostThatWaited() {
        Queue<Runnable> home = new ArrayDeque<>();
        Strand strand = new Strand(StrandExecutor.open(home::add), () -> {});
        strand.submit(() -> {});
        assertThat(takeDeepest(strand)).as("done on the spot").isZero();
        strand.submit(() -> {
            for (int i = 0; i < 5; i++) {
                strand.submit(() -> {});
            }
        });
        assertThat(takeDeepest(strand)).isEqualTo(5);
        assertThat(takeDeepest(strand)).isZero();
        assertThat(home).isEmpty();
    }

    private static int takeDeepest(Strand strand) {
        int[] taken = new int[1];
        strand.submit(() -> taken[0] = strand.takeDeepest());
        return taken[0];
    }
}
