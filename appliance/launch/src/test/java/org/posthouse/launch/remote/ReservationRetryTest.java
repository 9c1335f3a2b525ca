package org.posthouse.launch.remote;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReservationRetryTest {
    private static final long BEGIN = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(10); // The clock may wrap.

    private final ReservationRetry retry = new ReservationRetry();

    private static long at(long seconds) {
        return BEGIN + TimeUnit.SECONDS.toNanos(seconds);
    }

    @Test
    void aNodeThatDoesNotAnswerMayBeOfferedForAMinute() {
        assertThat(retry.isOver(false, at(0))).isFalse();
        assertThat(retry.isOver(false, at(30))).isFalse();
        assertThat(retry.isOver(false, at(60))).isFalse();
        assertThat(retry.isOver(false, at(61))).isTrue();
    }

    @Test
    void theMinuteBeginsAgainWhenAPartWasMissing() {
        assertThat(retry.isOver(false, at(0))).isFalse();
        assertThat(retry.isOver(true, at(59))).isFalse();
        assertThat(retry.isOver(true, at(9_000))).isFalse();
        assertThat(retry.isOver(false, at(9_001))).isFalse();
        assertThat(retry.isOver(false, at(9_061))).isFalse();
        assertThat(retry.isOver(false, at(9_062))).isTrue();
    }

    @Test
    void eachReasonIsToldOnce() {
        assertThat(retry.isNews("asked for 2, got 1")).isTrue();
        assertThat(retry.isNews("asked for 2, got 1")).isFalse();
        assertThat(retry.isNews("asked for 2, got 0")).isTrue();
    }
}
