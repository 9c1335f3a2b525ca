package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.CloseReason;

/** Many refusals, few lines, and every one counted; on a clock that the test moves. */
final class RefusalLogTest {
    private final List<String> lines = new ArrayList<>();
    private long nanos = Long.MAX_VALUE - 5_000_000_000L;
    private final RefusalLog log = new RefusalLog(() -> nanos, lines::add);

    private void refuse(CloseReason closeReason, int count) {
        for (int i = 1; i <= count; i++) {
            log.refused(closeReason, closeReason + " " + i);
        }
    }

    @Test
    void tellsTheFirstOfEachReasonAndTheRestTogether() {
        refuse(CloseReason.LIMIT, 5_000);
        refuse(CloseReason.TIMEOUT, 4);
        assertThat(lines)
                .containsExactly("LIMIT 1", "LIMIT 2", "LIMIT 3", "TIMEOUT 1", "TIMEOUT 2", "TIMEOUT 3");
        lines.clear();
        nanos += RefusalLog.INTERVAL_NANOS - 1;
        log.tick();
        assertThat(lines).as("the interval is not over").isEmpty();
        nanos++;
        log.tick();
        assertThat(lines).containsExactly("closed 4998 more in 10 s: 1 TIMEOUT, 4997 LIMIT");
        assertThat(log.counts()).isEqualTo(Map.of(CloseReason.LIMIT, 5_000L, CloseReason.TIMEOUT, 4L));
    }

    @Test
    void aFloodThatGoesOnTakesFourLinesAnInterval() {
        for (int second = 0; second < 100; second++) {
            refuse(CloseReason.WRONG_TOKEN, 1_000);
            nanos += 1_000_000_000L;
            log.tick();
        }
        assertThat(lines).hasSize(40);
        assertThat(lines.getLast()).isEqualTo("closed 9997 more in 10 s: 9997 WRONG_TOKEN");
        assertThat(log.counts()).isEqualTo(Map.of(CloseReason.WRONG_TOKEN, 100_000L));
    }

    @Test
    void saysNothingMoreOfFew() {
        refuse(CloseReason.MALFORMED_FRAME, 3);
        nanos += RefusalLog.INTERVAL_NANOS;
        log.tick();
        log.tick();
        assertThat(lines).hasSize(3);
    }

    @Test
    void anIntervalEndsWithTheNextRefusalToo() {
        refuse(CloseReason.LIMIT, 4);
        nanos += 25_000_000_000L;
        log.refused(CloseReason.LIMIT, "late");
        assertThat(lines).containsExactly("LIMIT 1", "LIMIT 2", "LIMIT 3", "closed 1 more in 25 s: 1 LIMIT", "late");
    }

    @Test
    void closeLogsRemainingRefusals() {
        refuse(CloseReason.LIMIT, 10);
        nanos += 2_000_000_000L;
        log.close();
        assertThat(lines).hasSize(4).last().isEqualTo("closed 7 more in 2 s: 7 LIMIT");
    }
}
