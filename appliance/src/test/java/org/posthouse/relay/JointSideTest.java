package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.posthouse.relay.JointSide.Step.BIND_AGAIN;
import static org.posthouse.relay.JointSide.Step.GONE;
import static org.posthouse.relay.JointSide.Step.STAYS;

import org.junit.jupiter.api.Test;
import org.posthouse.wire.JobJoin;

/** When a relay believes that a job takes part in a joint job no more. */
class JointSideTest {
    private static final JobJoin.Part PART = new JobJoin.Part(0x71, new int[] {0});

    private static JointSide elsewhere(long beginMsMax) {
        return new JointSide(7, PART, false, beginMsMax, false);
    }

    @Test
    void jobThatIsNotLoggedHasLeftWhenItsNameIsGone() {
        JointSide side = elsewhere(60_000);
        assertThat(side.found(false, false, false)).isEqualTo(STAYS);
        assertThat(side.found(true, false, false)).isEqualTo(STAYS);
        assertThat(side.found(false, false, false)).isEqualTo(GONE);
        assertThat(side.why()).isEqualTo("job 0000000000000071 has left it or has ended");
    }

    /** Its relay binds it again, if it is there. */
    @Test
    void loggedJobOfAnotherRelayHasEndedWhenItsNameIsGoneAtManyLooksInARow() {
        JointSide side = elsewhere(60_000);
        side.found(true, true, false);
        for (int round = 0; round < 2; round++) {
            for (int missed = 1; missed < JointSide.MISSED_MAX; missed++) {
                assertThat(side.found(false, true, false)).isEqualTo(STAYS);
            }
            assertThat(side.found(true, true, false)).isEqualTo(STAYS);
        }
        for (int missed = 1; missed < JointSide.MISSED_MAX; missed++) {
            side.found(false, true, false);
        }
        assertThat(side.found(false, true, false)).isEqualTo(GONE);
        assertThat(JointSide.MISSED_MAX).as("looks of one that waits, against one of the job's own relay").isGreaterThanOrEqualTo(5);
    }

    @Test
    void nameOfAnOpenLoggedJobOfThisRelayIsBoundAgainAtTheFirstMiss() {
        JointSide side = new JointSide(7, PART, true, 60_000, false);
        assertThat(side.found(false, true, true)).as("before it has begun").isEqualTo(STAYS);
        side.found(true, true, true);
        for (int missed = 0; missed < 2 * JointSide.MISSED_MAX; missed++) {
            assertThat(side.found(false, true, true)).isEqualTo(BIND_AGAIN);
        }
    }

    /** The other relay, which may have been started earlier, counts already. */
    @Test
    void nameOfARecoveredJobOfThisRelayIsBoundAgainAtTheFirstLook() {
        assertThat(new JointSide(7, PART, true, 60_000, true).found(false, true, true)).isEqualTo(BIND_AGAIN);
        assertThat(new JointSide(7, PART, false, 60_000, true).found(false, true, false)).as("of another relay").isEqualTo(STAYS);
    }

    @Test
    void jobThatHasNotBegunInTimeDoesNotCome() {
        JointSide side = elsewhere(-1);
        assertThat(side.found(false, false, false)).isEqualTo(GONE);
        assertThat(side.why()).isEqualTo("job 0000000000000071 has not come within -1 ms");
    }
}
