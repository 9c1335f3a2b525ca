package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.posthouse.relay.Pressure.State;

/** When ranks are asked for checkpoints, when senders are held, and what jobs there is room for. */
final class PressureTest {
    private final Pressure pressure = new Pressure(1_000, 60, 0);

    @Test
    void asksFromTheHighMarkOnAndHoldsWhereTheRestMayStillCome() {
        pressure.mayCome(100);
        assertThat(pressure.look(599, true)).isFalse();
        assertThat(pressure.state()).isEqualTo(State.EASY);
        assertThat(pressure.look(600, true)).isFalse();
        assertThat(pressure.state()).isEqualTo(State.ASK);
        assertThat(pressure.look(893, true)).isFalse();
        assertThat(pressure.look(894, true)).as("senders are held").isTrue();
        assertThat(pressure.state()).isEqualTo(State.HOLD);
        assertThat(pressure.look(950, true)).isFalse();
        assertThat(pressure.look(893, true)).as("and let go").isTrue();
        assertThat(pressure.state()).isEqualTo(State.ASK);
    }

    @Test
    void asksBeforeItHoldsHoweverMuchMayCome() {
        pressure.mayCome(500);
        assertThat(pressure.holdBytes()).as("a sixteenth beside payload").isEqualTo(469);
        assertThat(pressure.askBytes()).isEqualTo(351);
        pressure.mayCome(400);
        assertThat(pressure.holdBytes()).as("never lower").isEqualTo(469);
    }

    @Test
    void whatAllRanksShareMayComeTooHoweverManyThereAre() {
        Pressure sharing = new Pressure(1_000, 60, 60);
        sharing.mayCome(100);
        assertThat(sharing.holdBytes()).isEqualTo(1_000 - 160 - 10);
        assertThat(sharing.fits(400)).as("ranks have half of it for themselves").isTrue();
        sharing.mayCome(400);
        assertThat(sharing.holdBytes()).isEqualTo(469);
    }

    @Test
    void holdsWhenTheDiskIsNearlyFull() {
        assertThat(pressure.look(1, false)).isTrue();
        assertThat(pressure.state()).isEqualTo(State.HOLD);
        assertThat(pressure.look(1, true)).isTrue();
        assertThat(pressure.state()).isEqualTo(State.EASY);
    }

    @Test
    void lendsASixteenthAtATimeAndAsMuchAsItHasUntilItIsEasyAgain() {
        pressure.mayCome(100);
        pressure.look(900, true);
        assertThat(pressure.tryLend()).isTrue();
        assertThat(pressure.holdBytes()).isEqualTo(894 + 1_000 / 16);
        assertThat(pressure.look(894, true)).as("senders go on").isTrue();
        assertThat(pressure.state()).isEqualTo(State.ASK);
        for (int i = 1; i < 17; i++) {
            assertThat(pressure.tryLend()).isTrue();
        }
        assertThat(pressure.tryLend()).isFalse();
        assertThat(pressure.holdBytes()).isEqualTo(1_894);
        pressure.look(599, true);
        assertThat(pressure.lentBytes()).as("what was lent is given back").isZero();
        assertThat(pressure.holdBytes()).isEqualTo(894);
    }

    @Test
    void growsNoMoreFromItsLimitOnAndWhatIsLent() {
        assertThat(pressure.isReached(999)).isFalse();
        assertThat(pressure.isReached(1_000)).isTrue();
        pressure.look(1_000, true);
        pressure.tryLend();
        assertThat(pressure.isReached(1_061)).isFalse();
        assertThat(pressure.isReached(1_062)).isTrue();
    }

    @Test
    void hasRoomForJobsThatMayFillHalfOfIt() {
        assertThat(pressure.fits(500)).isTrue();
        pressure.mayCome(300);
        assertThat(pressure.fits(201)).isFalse();
        pressure.mayCome(-300);
        assertThat(pressure.fits(500)).isTrue();
    }
}
