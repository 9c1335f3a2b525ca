package org.posthouse.relay.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What followers of rank 3 keep in the log. */
final class FollowerPinsTest {
    private final Object turn = new Object();
    private final FollowerPins pins = new FollowerPins(turn);

    private FollowerPins.Pin follow(long need) {
        synchronized (turn) {
            return pins.add(1, 3, need);
        }
    }

    private long limit(long need, long logPosition) {
        synchronized (turn) {
            return pins.limit(1, 3, need, logPosition);
        }
    }

    @Test
    void followerNeedsWhatARestartNeededWhenTheLogWasWhereTheFollowerIs() {
        FollowerPins.Pin pin = follow(10);
        assertThat(limit(10, 50)).isEqualTo(10);
        assertThat(limit(40, 100)).as("a checkpoint, and the follower has seen nothing").isEqualTo(10);
        pin.reached(99);
        assertThat(limit(40, 120)).as("not all that was there with the checkpoint").isEqualTo(10);
        pin.reached(100);
        assertThat(limit(40, 120)).isEqualTo(40);
        assertThat(limit(110, 200)).as("the next checkpoint").isEqualTo(40);
        pin.reached(150);
        assertThat(limit(110, 210)).isEqualTo(40);
        pin.reached(200);
        assertThat(limit(110, 220)).isEqualTo(110);
    }

    @Test
    void needOfTheRankCountsIfItIsTheOlderOne() {
        FollowerPins.Pin pin = follow(10);
        limit(40, 100);
        pin.reached(100);
        assertThat(limit(40, 110)).isEqualTo(40);
        assertThat(limit(10, 120)).as("its image cannot be read any more").isEqualTo(10);
    }

    @Test
    void slowestFollowerCountsUntilItsReadingEnds() {
        FollowerPins.Pin slow = follow(10);
        FollowerPins.Pin fast = follow(10);
        limit(40, 100);
        fast.reached(100);
        assertThat(limit(40, 110)).isEqualTo(10);
        slow.close();
        assertThat(limit(40, 110)).isEqualTo(40);
        fast.close();
        assertThat(limit(Long.MAX_VALUE, 110)).as("nobody needs anything").isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void otherRanksAreNotPinned() {
        follow(10);
        synchronized (turn) {
            assertThat(pins.limit(1, 4, 40, 100)).isEqualTo(40);
            assertThat(pins.limit(2, 3, 40, 100)).isEqualTo(40);
        }
    }
}
