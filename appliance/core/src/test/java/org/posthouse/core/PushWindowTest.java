package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.WireException;

/** Rounds of one context that follow each other for months. */
final class PushWindowTest {
    /** Before, the 2^31st round could not go on: its number is negative in a frame. */
    @ParameterizedTest
    @ValueSource(longs = {1, Integer.MAX_VALUE, 1L + Integer.MAX_VALUE, 2L * Integer.MAX_VALUE + 2})
    void eachRoundGoesOnAndTheNextBegins(long number) throws Exception {
        PushWindow pushWindow = new PushWindow(4, number - 1);
        assertThat(pushWindow.grant((int) number, 1_000)).as("it begins").isTrue();
        assertThat(pushWindow.grant((int) number, 2_000)).as("it goes on").isFalse();
        assertThat(pushWindow.isOpen()).isTrue();
        pushWindow.end();
        assertThat(pushWindow.grant((int) number + 1, 2_000)).as("the next begins").isTrue();
    }

    @Test
    void noneGoesOnBeforeTheFirst() {
        assertThatExceptionOfType(WireException.class)
                .isThrownBy(() -> new PushWindow(4, 0).grant(0, 1_000))
                .satisfies(e -> assertThat(e.reason()).isEqualTo(CloseReason.MALFORMED_FRAME));
    }
}
