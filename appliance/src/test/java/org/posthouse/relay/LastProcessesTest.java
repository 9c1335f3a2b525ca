package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.posthouse.core.BlockedCall;
import org.posthouse.status.RankStatus;
import org.posthouse.status.RankStatus.State;

/** A job of two ranks with three processes each: 0, 2 and 4, and 1, 3 and 5. */
class LastProcessesTest {
    private static final int RANKS = 2;

    private static RankStatus process(int number, State state) {
        return RankStatus.uncounted(number, state, number / RANKS + 1);
    }

    @Test
    void ofEachRankTheLastThatHasComeIsShownUnderTheRanksNumber() {
        List<RankStatus> last = LastProcesses.of(RANKS, List.of(
                process(5, State.WAITING), process(3, State.CONNECTED), process(1, State.LOST), process(0, State.CONNECTED), process(2, State.WAITING)));
        assertThat(last).containsExactly(process(0, State.CONNECTED), process(3, State.CONNECTED));
        assertThat(LastProcesses.asRanks(RANKS, last)).containsExactly(process(0, State.CONNECTED), process(3, State.CONNECTED).numbered(1));
    }

    @Test
    void firstProcessIsShownBeforeAnyHasCome() {
        assertThat(LastProcesses.of(RANKS, List.of(process(0, State.WAITING), process(1, State.WAITING), process(2, State.WAITING))))
                .containsExactly(process(0, State.WAITING), process(1, State.WAITING));
    }

    @Test
    void jobWithANewProcessStandsStillWhenThatOneAndTheOthersDo() {
        long nowNs = TimeUnit.HOURS.toNanos(1);
        BlockedCall still = new BlockedCall("Recv(source 1, tag 7)", 0, 1, true, 0);
        List<RankStatus> last = LastProcesses.of(RANKS, List.of(process(0, State.CONNECTED), process(1, State.LOST), process(3, State.CONNECTED)));
        assertThat(new BlockedView(Map.of(0, still, 3, still), nowNs, 1_000_000_000).standstillSinceMs(RANKS, last)).isPositive();
        assertThat(new BlockedView(Map.of(0, still, 1, still), nowNs, 1_000_000_000).standstillSinceMs(RANKS, last)).as("the dead one's call").isZero();
    }
}
