package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.posthouse.wire.CloseReason;

/** When a link says that its network loses large packets, and when it was only cut. */
class MtuBlackHoleDetectorTest {
    private static final int SILENCE_MS = 15_000;

    private final MtuBlackHoleDetector suspicion = new MtuBlackHoleDetector(SILENCE_MS);

    private void sessions(int count, CloseReason why, long lastedMs, long bytesIn, long unacknowledgedBytes) {
        for (int i = 0; i < count; i++) {
            suspicion.onEnded(why, lastedMs, bytesIn, unacknowledgedBytes);
        }
    }

    @Test
    void namesItAtTheEndThatWrites() {
        sessions(1, CloseReason.NORMAL, SILENCE_MS, 3_000, 200_000);
        assertThat(suspicion.text()).isEmpty();
        suspicion.onAcknowledged(500);
        sessions(1, CloseReason.NORMAL, SILENCE_MS, 3_000, 200_000);
        assertThat(suspicion.text()).startsWith("2 times in a row it came up and nothing large that was sent arrived: small packets pass and large ones seem");
        suspicion.onAcknowledged(100_000);
        assertThat(suspicion.text()).isEmpty();
    }

    @Test
    void namesItAtTheEndThatReads() {
        sessions(3, CloseReason.TIMEOUT, SILENCE_MS, 3_000, 0);
        assertThat(suspicion.text()).startsWith("3 times in a row it came up and fell silent: ");
        suspicion.onCame(100_000);
        assertThat(suspicion.text()).isEmpty();
    }

    @Test
    void namesItWhereTheHandshakeStalls() {
        suspicion.onHandshakeEnded(true);
        assertThat(suspicion.text()).isEmpty();
        suspicion.onHandshakeEnded(true);
        assertThat(suspicion.text())
                .startsWith("2 times in a row TCP connected and TLS did not: the other relay stands still, or small packets pass and large ones");
        suspicion.onHandshakeEnded(false);
        assertThat(suspicion.text()).isEmpty();
    }

    @Test
    void aCutOrASilenceOfABusyLinkIsNone() {
        sessions(5, CloseReason.NORMAL, SILENCE_MS / 3, 3_000, 200_000);
        sessions(5, CloseReason.TIMEOUT, SILENCE_MS / 3, 1_000_000, 0);
        sessions(1, CloseReason.TIMEOUT, SILENCE_MS, 100, 0);
        assertThat(suspicion.text()).isEmpty();
    }
}
