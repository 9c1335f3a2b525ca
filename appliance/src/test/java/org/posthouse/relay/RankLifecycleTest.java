package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.posthouse.wire.JobEvent;

class RankLifecycleTest {
    private static JobEvent event(int kind, String text) {
        return new JobEvent(0xab, kind, 3, 7, text);
    }

    @Test
    void aRestartIsTheSecondProcessOfARankAndNotTheFirst() {
        assertThat(RankLifecycle.describe(event(JobEvent.CONNECTED, ""), 1)).isEmpty();
        assertThat(RankLifecycle.describe(event(JobEvent.REPLAYING, ""), 2)).contains("rank 3 of job 00000000000000ab is restarted, incarnation 2");
    }

    @Test
    void lossesAndAbortsAreToldWithTheirReason() {
        assertThat(RankLifecycle.describe(event(JobEvent.LOST, "broken pipe"), 1)).contains("rank 3 of job 00000000000000ab is lost: broken pipe");
        assertThat(RankLifecycle.describe(event(JobEvent.AWAY, ""), 1)).contains("rank 3 of job 00000000000000ab is away");
        assertThat(RankLifecycle.describe(event(JobEvent.ABORTED, ""), 1)).contains("rank 3 of job 00000000000000ab has aborted the job, status 7");
    }

    @Test
    void whatEveryJobDoesIsNoEvent() {
        assertThat(RankLifecycle.describe(event(JobEvent.FINALIZED, ""), 1)).isEmpty();
        assertThat(RankLifecycle.describe(event(JobEvent.CHECKPOINTED, ""), 1)).isEmpty();
    }
}
