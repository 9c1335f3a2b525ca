package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.posthouse.wire.JobJoin;

/** When a relay believes that a job takes part in a joint job no more. */
class JointSideTest {
    private static JointSide side(long beginMsMax) {
        return new JointSide(7, new JobJoin.Part(0x71, new int[] {0}), false, beginMsMax);
    }

    @Test
    void jobThatIsNotLoggedHasLeftWhenItsNameIsGone() {
        JointSide side = side(60_000);
        assertThat(side.found(false, false)).isEmpty();
        assertThat(side.found(true, false)).isEmpty();
        assertThat(side.found(false, false)).contains("job 0000000000000071 has left it or has ended");
    }

    /** Its relay may bind it again. */
    @Test
    void loggedJobHasEndedWhenItsNameIsGoneAtThreeLooksInARow() {
        JointSide side = side(60_000);
        side.found(true, true);
        assertThat(side.found(false, true)).isEmpty();
        assertThat(side.found(false, true)).isEmpty();
        assertThat(side.found(true, true)).isEmpty();
        assertThat(side.found(false, true)).isEmpty();
        assertThat(side.found(false, true)).isEmpty();
        assertThat(side.found(false, true)).contains("job 0000000000000071 has left it or has ended");
    }

    @Test
    void jobThatHasNotBegunInTimeDoesNotCome() {
        assertThat(side(-1).found(false, false)).contains("job 0000000000000071 has not come within -1 ms");
    }
}
