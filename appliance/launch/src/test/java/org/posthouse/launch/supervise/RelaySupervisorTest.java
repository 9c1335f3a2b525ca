package org.posthouse.launch.supervise;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.launch.job.JobSignal;
import org.posthouse.launch.job.RelayLoss;
import org.posthouse.wire.JobEvent;

/** Lost relays: which are dialled again, and which end the job. */
class RelaySupervisorTest extends SupervisedJob {
    private void lost(JobSupervisor watch, int relay, boolean isFinal) throws JobFailure {
        watch.on(new JobSignal.RelayLost(relay, "relay site-b broke", isFinal), nowNs);
        watch.onTime(nowNs);
    }

    @Test
    void aLostRelayIsDialledAgainAndItsRanksWaitForIt() throws Exception {
        JobSupervisor watch = running(true, 3);
        leave(watch, 0);
        lost(watch, 1, false);
        exited(watch, 1, 70);
        assertThat(redialled).containsExactly(1);
        assertThat(told).first().isEqualTo("relay site-b broke: dialled again for 60 s");
        assertThat(done).as("nowhere to connect to").containsExactly("0:true");
        assertThat(watch.quietNs(nowNs)).isEqualTo(JobTimers.FOR_EVER);
        pass(20_000);
        watch.on(new JobSignal.RelayBack(1, "site-b"), nowNs);
        watch.onTime(nowNs);
        assertThat(told).last().isEqualTo("relay site-b is back after 20.00 s");
        assertThat(done).containsExactly("0:true", "1/2");
        leave(watch, 1);
        assertThat(end(watch).isSuccess()).isTrue();
        assertThat(watch.outcome(1).relayLosses()).as("its rank has come to its end").containsExactly(new RelayLoss("site-b", 1, 20_000_000_000L, 0));
    }

    @Test
    void reportsWhenRanksOfLostRelayContinue() throws Exception {
        JobSupervisor watch = running(true, 3);
        lost(watch, 1, false);
        pass(2_000);
        told(watch, 1, JobEvent.AWAY);
        watch.on(new JobSignal.RelayBack(1, "site-b"), nowNs);
        pass(300);
        told(watch, 1, JobEvent.REPLAYING);
        lost(watch, 1, false);
        pass(1_000);
        watch.on(new JobSignal.RelayBack(1, "site-b"), nowNs);
        pass(200);
        told(watch, 1, JobEvent.CAUGHT_UP);
        assertThat(told).last().isEqualTo("relay site-b: its rank goes on, 0.20 s after it came back");
        told(watch, 1, JobEvent.CAUGHT_UP);
        leave(watch, 0);
        leave(watch, 1);
        assertThat(watch.outcome(1).relayLosses())
                .containsExactly(new RelayLoss("site-b", 1, 2_000_000_000L, -1), new RelayLoss("site-b", 1, 1_000_000_000L, 200_000_000L));
        assertThat(told).filteredOn(line -> line.contains("goes on")).hasSize(1);
    }

    /** There is nobody to wait for. */
    @Test
    void aLossOfARelayWhoseRanksHaveAllEndedIsOverWhenItIsBack() throws Exception {
        JobSupervisor watch = running(true, 3);
        leave(watch, 1);
        lost(watch, 1, false);
        pass(2_000);
        watch.on(new JobSignal.RelayBack(1, "site-b"), nowNs);
        leave(watch, 0);
        assertThat(end(watch).isSuccess()).isTrue();
        assertThat(watch.outcome(1).relayLosses()).containsExactly(new RelayLoss("site-b", 0, 2_000_000_000L, 0));
    }

    @Test
    void aRankThatLeftWhileItsRelayWasLostIsJudgedWhenThatIsBack() throws Exception {
        JobSupervisor watch = running(true, 3);
        leave(watch, 0);
        lost(watch, 1, false);
        exited(watch, 1, 0);
        pass(20_000);
        watch.onTime(nowNs);
        assertThat(watch.isOver()).as("whether it said goodbye only the relay knows").isFalse();
        assertThat(watch.quietNs(nowNs)).isEqualTo(JobTimers.FOR_EVER);
        watch.on(new JobSignal.RelayBack(1, "site-b"), nowNs);
        told(watch, 1, JobEvent.FINALIZED);
        assertThat(end(watch).isSuccess()).isTrue();
    }

    @Test
    void aRelayThatDoesNotComeBackEndsTheJob() throws Exception {
        JobSupervisor watch = running(true, 3);
        lost(watch, 1, false);
        assertThat(watch.isOver()).isFalse();
        lost(watch, 1, true);
        assertThat(end(watch).cause()).isEqualTo("relay site-b broke");
    }

    @Test
    void withoutALogOrWithoutRestartsALostRelayEndsTheJob() throws Exception {
        for (boolean logged : new boolean[] {false, true}) {
            JobSupervisor watch = running(logged, logged ? 0 : 3);
            lost(watch, 1, false);
            assertThat(end(watch).cause()).isEqualTo("relay site-b broke");
            assertThat(redialled).isEmpty();
            done.clear();
        }
    }

    /** The goodbye was answered, its event was lost with the launcher's connection, and the relay is slow to say how ranks stand. */
    @Test
    void aRankThatFinalizedWhileTheLauncherWasCutOffIsNotJudgedBeforeItsRelayHasSpoken() throws Exception {
        JobSupervisor watch = running(true, 3);
        watch.on(new JobSignal.RelayLost(1, "broke", false), nowNs);
        exited(watch, 1, 0);
        pass(2_000);
        watch.on(new JobSignal.RelayBack(1, "site-b"), nowNs);
        watch.onTime(nowNs);
        watch.quietNs(nowNs);
        pass(RankTable.CUT_OFF_SETTLE_MS - 1);
        watch.onTime(nowNs);
        assertThat(watch.hasFailed()).isFalse();
        told(watch, 1, JobEvent.FINALIZED);
        leave(watch, 0);
        assertThat(end(watch).isSuccess()).isTrue();
    }

    @Test
    void aRelayThatDoesNotAnswerIsReportedOnceAndEndsTheJobAfterItsTimeout() throws Exception {
        JobSupervisor watch = running(true, 3);
        for (int seconds = 10; seconds < 60; seconds += 10) {
            watch.on(new JobSignal.Unresponsive(1, "relay b", seconds), nowNs);
        }
        assertThat(told).singleElement().asString().startsWith("relay b has not answered for 10 s")
                .endsWith("; its ranks wait, and the job ends after 60 s (--relay-timeout)");
        watch.on(new JobSignal.Responsive(1, "relay b", 50), nowNs);
        assertThat(told).last().isEqualTo("relay b answers again after 50 s");
        assertThat(watch.isOver()).isFalse();
        watch.on(new JobSignal.Unresponsive(1, "relay b", 60), nowNs);
        assertThat(end(watch).cause()).endsWith("; 60 s are its --relay-timeout");
    }
}
