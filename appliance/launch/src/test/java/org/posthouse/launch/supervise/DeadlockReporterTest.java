package org.posthouse.launch.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.wire.JobEvent;

/** Reports that all ranks wait. */
class DeadlockReporterTest extends SupervisedJob {
    private void blocked(JobSupervisor watch, int rank, int seconds, String in) throws JobFailure {
        told(watch, new JobEvent(JOB, JobEvent.BLOCKED, rank, seconds, in));
    }

    @Test
    void tellsOnceThatAllRanksWait() throws Exception {
        JobSupervisor watch = running(false, 0);
        blocked(watch, 1, 60, "Recv(source 0, tag 7)");
        assertThat(told).as("rank 0 may be at work").isEmpty();
        blocked(watch, 0, 60, "barrier");
        assertThat(told).containsExactly("all 2 ranks have waited for 60 s: rank 0 in barrier, rank 1 in Recv(source 0, tag 7)");
        blocked(watch, 0, 60, "barrier");
        assertThat(told).as("a relay says it again").hasSize(1);
        blocked(watch, 1, 0, "");
        blocked(watch, 1, 60, "Probe(any source, any tag)");
        assertThat(told).as("another one").hasSize(2);
        assertThat(watch.hasFailed()).isFalse();
    }

    @Test
    void deadlockReportIgnoresFinalizedRanks() throws Exception {
        JobSupervisor watch = running(false, 0);
        blocked(watch, 1, 60, "Recv(source 0, tag 7)");
        told(watch, 0, JobEvent.FINALIZED);
        assertThat(told).containsExactly("the only rank that has not called Finalize has waited for 60 s: rank 1 in Recv(source 0, tag 7)");
    }

    @Test
    void whileARankIsStartedAgainNothingStandsStill() throws Exception {
        JobSupervisor watch = running(true, 3);
        blocked(watch, 1, 60, "Recv(source 0, tag 7)");
        told(watch, 1, JobEvent.AWAY);
        blocked(watch, 0, 60, "Recv(source 1, tag 7)");
        told(watch, 1, JobEvent.REPLAYING);
        told(watch, 1, JobEvent.CAUGHT_UP);
        assertThat(told).noneMatch(line -> line.contains("waited"));
        blocked(watch, 1, 60, "Recv(source 0, tag 7)");
        assertThat(told).last().asString().startsWith("all 2 ranks have waited for 60 s");
    }

    @Test
    void ofRanksWhoseRelayIsLostNobodyKnowsThatTheyWait() throws Exception {
        JobSupervisor watch = running(true, 3);
        blocked(watch, 1, 60, "Recv(source 0, tag 7)");
        watch.on(new JobSignal.RelayLost(1, "the connection to relay b has ended", false), nowNs);
        blocked(watch, 0, 60, "Recv(source 1, tag 7)");
        assertThat(told).noneMatch(line -> line.contains("waited for 60 s"));
    }

    @Test
    void namesEightAtMost() {
        DeadlockDetector deadlockDetector = new DeadlockDetector(10);
        for (int rank = 0; rank < 10; rank++) {
            deadlockDetector.blocked(rank, "barrier", 60);
        }
        assertThat(deadlockDetector.news(() -> 0)).endsWith("rank 7 in barrier, and 2 more");
    }
}
