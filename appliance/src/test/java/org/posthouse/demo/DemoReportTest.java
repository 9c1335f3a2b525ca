package org.posthouse.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.posthouse.faults.RankKill;
import org.posthouse.launch.job.JobOutcome;
import org.posthouse.launch.job.Restart;

/** What the demo tells of a job. */
class DemoReportTest {
    private static final Restart BY_ITSELF = new Restart(3, 2, "exited with status 72", 0, 0, 0, 9_000_000_000L, 7);
    private static final Restart KILLED = new Restart(1, 2, "was killed by signal 9 (SIGKILL)", 0, 0, 0, 250_000_000, 7);

    private static DemoReport report(String byItself, Restart... restarts) {
        JobOutcome outcome = new JobOutcome(0, "", false, 1, List.of(restarts), List.of(), List.of(), List.of());
        return new DemoReport("ring", 4, outcome, List.of(new RankKill(1, 1, 1)), List.of(), byItself, byItself.isEmpty(), false, DemoTraffic.NONE);
    }

    @Test
    void countsTheRestartThatFollowedTheKill() {
        assertThat(report("", KILLED).recovery()).isEqualTo("rank 1 killed, back in 0.25 s");
        assertThat(report("rank 3 died", BY_ITSELF, KILLED).recovery()).isEqualTo("rank 1 killed, back in 0.25 s");
        assertThat(report("rank 3 died", BY_ITSELF).recovery()).isEqualTo("over before its rank was killed");
        assertThat(report("rank 3 died", BY_ITSELF).result()).isEqualTo("FAILED rank 3 died");
        assertThat(report("", KILLED).result()).isEqualTo("verified");
    }
}
