package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.posthouse.core.BlockedCall;
import org.posthouse.status.RankStatus;
import org.posthouse.status.RankStatus.State;
import org.posthouse.status.RankWait;

/** Which jobs a relay's status says stand still: two ranks, as they were heard of last. */
final class BlockedViewTest {
    private static final long NOW_NS = TimeUnit.HOURS.toNanos(1);
    private static final long NOW_MS = TimeUnit.DAYS.toMillis(20_000);

    private static BlockedCall since(long seconds, boolean still) {
        long since = NOW_NS - TimeUnit.SECONDS.toNanos(seconds);
        return new BlockedCall("Recv(source 1, tag 7)", since, 1, still, since);
    }

    private static RankStatus rank(int rank, State state) {
        return new RankStatus(rank, "here", "a", state, 1, 0, 0, 0, 0, 0, 1, "", 0, "", 0, 0);
    }

    private static boolean standsStill(Map<Integer, BlockedCall> blocked, RankStatus... ranks) {
        return new BlockedView(blocked, NOW_NS, NOW_MS).standstillSinceMs(2, List.of(ranks)) != 0;
    }

    @Test
    void aJobStandsStillWhenAllWaitThatHaveNotFinalized() {
        RankStatus zero = rank(0, State.CONNECTED);
        RankStatus one = rank(1, State.CONNECTED);
        assertThat(standsStill(Map.of(0, since(60, true), 1, since(90, true)), zero, one)).isTrue();
        assertThat(standsStill(Map.of(0, since(59, true), 1, since(90, true)), zero, one)).as("not for a minute").isFalse();
        assertThat(standsStill(Map.of(0, since(60, false), 1, since(90, true)), zero, one)).as("may be at work").isFalse();
        assertThat(standsStill(Map.of(0, since(60, true)), zero, one)).as("not blocked").isFalse();
        assertThat(standsStill(Map.of(0, since(60, true)), zero, rank(1, State.FINALIZED))).isTrue();
        assertThat(standsStill(Map.of(0, since(60, true)), zero)).as("of the other nothing is known").isFalse();
        assertThat(standsStill(Map.of(0, since(60, true), 1, since(60, true)), zero, rank(1, State.AWAY))).as("it is started again").isFalse();
        assertThat(standsStill(Map.of(0, since(60, true)), rank(0, State.FINALIZED), rank(1, State.FINALIZED))).isFalse();
    }

    @Test
    void showsNoBlockedCallForRankThatIsNotConnected() {
        BlockedView view = new BlockedView(Map.of(0, since(5, true)), NOW_NS, NOW_MS);
        assertThat(view.in(rank(0, State.CONNECTED)).blockedIn()).isEqualTo("Recv(source 1, tag 7)");
        assertThat(view.in(rank(0, State.FINALIZED)).blockedIn()).isEmpty();
        assertThat(view.in(rank(0, State.REPLAYING)).blockedSince()).isZero();
        assertThat(view.in(rank(1, State.CONNECTED)).blockedSince()).isZero();
    }

    /** Process 3 has taken the place of process 1, which was rank 1. */
    @Test
    void waitsNameRanksAlsoOfProcessesThatHaveTakenThePlaceOfDeadOnes() {
        BlockedCall forThree = new BlockedCall("Recv(source 1, tag 7)", NOW_NS, 3, false, NOW_NS);
        BlockedCall forAny = new BlockedCall("Recv(source any, tag 7)", NOW_NS, -1, false, NOW_NS);
        BlockedView view = new BlockedView(Map.of(0, forThree, 1, forAny, 3, forAny), NOW_NS, NOW_MS);
        assertThat(view.waits(2, List.of(rank(0, State.CONNECTED), rank(1, State.LOST), rank(3, State.CONNECTED))))
                .containsExactly(new RankWait(0, "Recv(source 1, tag 7)", NOW_MS, 1), new RankWait(1, "Recv(source any, tag 7)", NOW_MS, -1));
    }

    /** A host may be given the right time when its relay has long been started. */
    @Test
    void blockedSinceUsesTheHostsCurrentClock() {
        Map<Integer, BlockedCall> blocked = Map.of(0, since(60, true));
        for (long nowMs : List.of(NOW_MS, NOW_MS + TimeUnit.DAYS.toMillis(365))) {
            BlockedView view = new BlockedView(blocked, NOW_NS, nowMs);
            assertThat(view.in(rank(0, State.CONNECTED)).blockedSince()).isEqualTo(nowMs - 60_000);
            assertThat(view.standstillSinceMs(1, List.of(rank(0, State.CONNECTED)))).isEqualTo(nowMs - 60_000);
        }
    }
}
