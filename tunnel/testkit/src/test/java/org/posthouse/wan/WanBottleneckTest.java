package org.posthouse.wan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When bytes leave, in times that the test makes up; those of {@link System#nanoTime} may pass from positive to negative. */
final class WanBottleneckTest {
    private static final WanShape TEN_MEGABYTES_A_SECOND = WanShape.of(2, 80);
    private static final int PIECES = 400;
    private static final int PIECE_BYTES = 10_000;
    private static final long PIECE_NANOS = 1_000_000;

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 50 * PIECE_NANOS})
    void piecesThatWaitLeaveAtTheBandwidth(long begin) {
        WanBottleneck<String> bottleneck = new WanBottleneck<>(TEN_MEGABYTES_A_SECOND, begin);
        for (int i = 1; i <= PIECES; i++) {
            assertThat(bottleneck.leave(PIECE_BYTES, begin) - begin).isEqualTo(i * PIECE_NANOS);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 50 * PIECE_NANOS})
    void timeInWhichNothingWaitedIsNotMadeGood(long begin) {
        WanBottleneck<String> bottleneck = new WanBottleneck<>(TEN_MEGABYTES_A_SECOND, begin);
        bottleneck.leave(PIECE_BYTES, begin);
        assertThat(bottleneck.leave(PIECE_BYTES, begin + 100 * PIECE_NANOS) - begin).isEqualTo(101 * PIECE_NANOS);
        assertThat(bottleneck.freeAtNanos() - begin).isEqualTo(101 * PIECE_NANOS);
    }

    /** Both have pieces from the beginning, and a third one comes when they have half of theirs behind them. */
    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 50 * PIECE_NANOS})
    void flowsWithDataSendPiecesInTurn(long begin) {
        WanBottleneck<String> bottleneck = new WanBottleneck<>(TEN_MEGABYTES_A_SECOND, begin);
        List<String> left = new ArrayList<>();
        bottleneck.enter("one");
        bottleneck.enter("other");
        for (int i = 0; i < PIECES; i++) {
            long now = begin + i * PIECE_NANOS;
            assertThat(bottleneck.next(now - 1)).as("the piece before has not left").isNull();
            String next = bottleneck.next(now);
            assertThat(bottleneck.leave(PIECE_BYTES, begin)).isEqualTo(now + PIECE_NANOS);
            left.add(next);
            bottleneck.enter(next);
            if (i == PIECES / 2) {
                bottleneck.enter("third");
            }
        }
        for (int i = 0; i <= PIECES / 2; i++) {
            assertThat(left.get(i)).isEqualTo(i % 2 == 0 ? "one" : "other");
        }
        assertThat(left.subList(PIECES / 2 + 1, PIECES / 2 + 7)).containsExactly("other", "one", "third", "other", "one", "third");
        bottleneck.leave("one");
        bottleneck.leave("other");
        bottleneck.leave("third");
        assertThat(bottleneck.isIdle()).isTrue();
        assertThat(bottleneck.next(begin + PIECES * PIECE_NANOS)).isNull();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE})
    void withoutALimitAPieceLeavesWhenItWasRead(long begin) {
        WanBottleneck<String> bottleneck = new WanBottleneck<>(WanShape.of(2, 0), begin);
        for (int i = 0; i < PIECES; i++) {
            assertThat(bottleneck.leave(PIECE_BYTES, begin + i) - begin).isEqualTo(i);
        }
    }
}
