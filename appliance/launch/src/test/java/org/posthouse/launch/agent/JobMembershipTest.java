package org.posthouse.launch.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class JobMembershipTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long BEGIN = Long.MAX_VALUE - 10 * SECOND; // The clock may wrap.
    private static final long LAUNCHER = 3;

    private final JobMembership membership = new JobMembership("june", 7_200 * SECOND, BEGIN);

    private static long at(long seconds) {
        return BEGIN + seconds * SECOND;
    }

    @Test
    void anAgentWaitsForAJobThatIsNotStartedYetAndThenEndsWithALine() {
        assertThat(membership.tick(at(7_199))).isEmpty();
        assertThat(membership.tick(at(7_200)).orElseThrow().status()).isEqualTo(JobMembership.STATUS_NO_JOB);
        assertThat(membership.tick(at(7_300))).as("it ends once").isEmpty();
    }

    @Test
    void anAgentWaitsAsLongAsItsLauncherDoes() {
        assertThat(membership.waits("june", LAUNCHER, "a 1 of 2")).contains("job june: a 1 of 2");
        assertThat(membership.waits("june", LAUNCHER, "a 1 of 2")).as("no news").isEmpty();
        assertThat(membership.waits("july", LAUNCHER, "b 0 of 2")).isEmpty();
        assertThat(membership.tick(at(99_999))).isEmpty();
    }

    @Test
    void anAgentEndsAMinuteAfterItsLauncherUnlessAnotherComes() {
        membership.waits("june", LAUNCHER, "a 1 of 2");
        membership.launcherGone(LAUNCHER + 1, at(10));
        assertThat(membership.tick(at(1_000))).as("another launcher has gone").isEmpty();
        membership.launcherGone(LAUNCHER, at(1_000));
        assertThat(membership.tick(at(1_059))).isEmpty();
        membership.waits("june", LAUNCHER + 1, "a 1 of 2");
        membership.launcherGone(LAUNCHER, at(1_060));
        assertThat(membership.tick(at(2_000))).isEmpty();
        membership.launcherGone(LAUNCHER + 1, at(2_000));
        assertThat(membership.tick(at(2_059))).isEmpty();
        assertThat(membership.tick(at(2_060)).orElseThrow().line())
                .isEqualTo("job june is not known to run here, and has had no launcher for 60 s");
    }

    @Test
    void aRelayThatIsAwayDoesNotEndAnAgentThatWaits() {
        membership.waits("june", LAUNCHER, "a 1 of 2");
        membership.relayLost(at(100));
        assertThat(membership.tick(at(1_000))).isEmpty();
        membership.relayBack(at(1_000));
        membership.relayBack(at(1_030)); // Each frame says that it is there.
        assertThat(membership.tick(at(1_059))).isEmpty();
        assertThat(membership.tick(at(1_060))).isPresent();
    }

    @Test
    void aRelayThatDoesNotComeBackEndsAnAgentAfterTheWait() {
        membership.waits("june", LAUNCHER, "a 1 of 2");
        membership.relayLost(at(100));
        assertThat(membership.tick(at(7_299))).isEmpty();
        assertThat(membership.tick(at(7_300))).isPresent();
    }

    @Test
    void aRelayThatWasAwayDoesNotProlongTheWaitForAJobOfWhichNothingWasHeard() {
        membership.relayLost(at(100));
        membership.relayBack(at(1_000));
        assertThat(membership.tick(at(7_200))).isPresent();
    }

    @Test
    void anotherLauncherOfTheSameNameDoesNotEndAnAgentThatWaitsForTheFirst() {
        membership.waits("june", LAUNCHER, "a 1 of 2");
        assertThat(membership.waits("june", LAUNCHER + 1, "b 0 of 9")).isEmpty();
        membership.launcherGone(LAUNCHER + 1, at(10));
        assertThat(membership.ended("june", LAUNCHER + 1, 1, "the parts are late")).isEmpty();
        assertThat(membership.tick(at(99_999))).isEmpty();
        assertThat(membership.ended("june", LAUNCHER, 0, "")).contains(new JobMembership.End(0, "job june has ended"));
    }

    @Test
    void anotherLauncherMayEndAnAgentWhoseLauncherIsGone() {
        membership.waits("june", LAUNCHER, "a 1 of 2");
        membership.launcherGone(LAUNCHER, at(10));
        assertThat(membership.ended("june", LAUNCHER + 1, 143, "ended by its user")).isPresent();
    }

    @Test
    void theWaitBoundsWhatAnAgentWaitsForAnotherLauncher() {
        JobMembership hasty = new JobMembership("june", 5 * SECOND, BEGIN);
        hasty.waits("june", LAUNCHER, "");
        hasty.launcherGone(LAUNCHER, at(100));
        assertThat(hasty.tick(at(104))).isEmpty();
        assertThat(hasty.tick(at(105))).isPresent();
    }

    @Test
    void anAgentOfARunningJobEndsWithItAndHasItsStatus() {
        membership.waits("june", LAUNCHER, "");
        membership.confirmed();
        membership.launcherGone(LAUNCHER, at(10));
        membership.relayLost(at(10));
        assertThat(membership.tick(at(99_999))).as("its processes are kept by other rules").isEmpty();
        assertThat(membership.ended("july", LAUNCHER, 0, "")).isEmpty();
        assertThat(membership.ended("june", LAUNCHER, 3, "rank 1 failed"))
                .contains(new JobMembership.End(3, "job june has ended with status 3: rank 1 failed"));
    }

    @Test
    void anAgentOfARunningJobEndsWhenItsProcessesAreGivenUp() {
        assertThat(membership.abandoned()).as("only reserved").isEmpty();
        membership.confirmed();
        assertThat(membership.abandoned()).contains(new JobMembership.End(JobMembership.STATUS_NO_JOB, "job june has no launcher any more"));
    }

    @Test
    void anAgentWhoseSlotsAreGivenBackStaysAsLongAsItsLauncher() {
        membership.confirmed();
        membership.released(LAUNCHER);
        assertThat(membership.tick(at(99_999))).isEmpty();
        membership.launcherGone(LAUNCHER, at(0));
        assertThat(membership.tick(at(60))).isPresent();
    }
}
