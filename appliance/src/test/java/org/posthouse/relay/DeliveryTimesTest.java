package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.status.RankStatus;

@Timeout(10)
class DeliveryTimesTest {
    private static final long JOB = 0x1f;

    private final DeliveryTimes times = new DeliveryTimes();

    private static RankStatus rank(int rank, long delivered) {
        return new RankStatus(rank, "", "", RankStatus.State.CONNECTED, 1, 0, delivered, 0, 0, 0, 0, "", 0, "", 0, 0);
    }

    @Test
    void tellsTheSecondInWhichTheCounterGrewLast() {
        assertThat(times.look(JOB, rank(0, 0), 10_100)).isZero();
        assertThat(times.look(JOB, rank(0, 5), 11_900)).isEqualTo(11_000);
        assertThat(times.look(JOB, rank(0, 5), 14_000)).isEqualTo(11_000);
        assertThat(times.look(JOB, rank(0, 6), 15_000)).isEqualTo(15_000);
        assertThat(times.look(JOB, rank(1, 0), 15_000)).isZero();
    }

    @Test
    void forgetsAJobThatHasEnded() {
        times.look(JOB, rank(0, 5), 11_900);
        times.remove(JOB);
        assertThat(times.look(JOB, rank(0, 0), 12_000)).isZero();
    }
}
