package org.posthouse.relay.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.posthouse.relay.log.LogWatermarks.State;

/** When ranks are asked for checkpoints, when senders are held, and what jobs there is room for. */
final class LogWatermarksTest {
    private final LogWatermarks logWatermarks = new LogWatermarks(1_000, 60, 0);

    @Test
    void asksFromTheHighMarkOnAndHoldsWhereTheRestMayStillCome() {
        logWatermarks.mayCome(100);
        assertThat(logWatermarks.look(599, true)).isFalse();
        assertThat(logWatermarks.state()).isEqualTo(State.EASY);
        assertThat(logWatermarks.look(600, true)).isFalse();
        assertThat(logWatermarks.state()).isEqualTo(State.ASK);
        assertThat(logWatermarks.look(893, true)).isFalse();
        assertThat(logWatermarks.look(894, true)).as("senders are held").isTrue();
        assertThat(logWatermarks.state()).isEqualTo(State.HOLD);
        assertThat(logWatermarks.look(950, true)).isFalse();
        assertThat(logWatermarks.look(893, true)).as("and let go").isTrue();
        assertThat(logWatermarks.state()).isEqualTo(State.ASK);
    }

    @Test
    void asksBeforeItHoldsHoweverMuchMayCome() {
        logWatermarks.mayCome(500);
        assertThat(logWatermarks.holdBytes()).as("a sixteenth beside payload").isEqualTo(469);
        assertThat(logWatermarks.askBytes()).isEqualTo(351);
        logWatermarks.mayCome(400);
        assertThat(logWatermarks.holdBytes()).as("never lower").isEqualTo(469);
    }

    @Test
    void reservesTheSharedBytesOfAllRanks() {
        LogWatermarks sharing = new LogWatermarks(1_000, 60, 60);
        sharing.mayCome(100);
        assertThat(sharing.holdBytes()).isEqualTo(1_000 - 160 - 10);
        assertThat(sharing.fits(400)).as("ranks have half of it for themselves").isTrue();
        sharing.mayCome(400);
        assertThat(sharing.holdBytes()).isEqualTo(469);
    }

    @Test
    void holdsWhenTheDiskIsNearlyFull() {
        assertThat(logWatermarks.look(1, false)).isTrue();
        assertThat(logWatermarks.state()).isEqualTo(State.HOLD);
        assertThat(logWatermarks.look(1, true)).isTrue();
        assertThat(logWatermarks.state()).isEqualTo(State.EASY);
    }

    @Test
    void lendsASixteenthAtATimeAndAsMuchAsItHasUntilItIsEasyAgain() {
        logWatermarks.mayCome(100);
        logWatermarks.look(900, true);
        assertThat(logWatermarks.tryLend()).isTrue();
        assertThat(logWatermarks.holdBytes()).isEqualTo(894 + 1_000 / 16);
        assertThat(logWatermarks.look(894, true)).as("senders go on").isTrue();
        assertThat(logWatermarks.state()).isEqualTo(State.ASK);
        for (int i = 1; i < 17; i++) {
            assertThat(logWatermarks.tryLend()).isTrue();
        }
        assertThat(logWatermarks.tryLend()).isFalse();
        assertThat(logWatermarks.holdBytes()).isEqualTo(1_894);
        logWatermarks.look(599, true);
        assertThat(logWatermarks.lentBytes()).as("what was lent is given back").isZero();
        assertThat(logWatermarks.holdBytes()).isEqualTo(894);
    }

    @Test
    void isReachedAtTheLimitPlusLentBytes() {
        assertThat(logWatermarks.isReached(999)).isFalse();
        assertThat(logWatermarks.isReached(1_000)).isTrue();
        logWatermarks.look(1_000, true);
        logWatermarks.tryLend();
        assertThat(logWatermarks.isReached(1_061)).isFalse();
        assertThat(logWatermarks.isReached(1_062)).isTrue();
    }

    @Test
    void hasRoomForJobsThatMayFillHalfOfIt() {
        assertThat(logWatermarks.fits(500)).isTrue();
        logWatermarks.mayCome(300);
        assertThat(logWatermarks.fits(201)).isFalse();
        logWatermarks.mayCome(-300);
        assertThat(logWatermarks.fits(500)).isTrue();
    }
}
