package org.posthouse.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.posthouse.relay.JointSide.Sight.BOUND_AGAIN;
import static org.posthouse.relay.JointSide.Sight.JOINED;
import static org.posthouse.relay.JointSide.Sight.NOTHING;
import static org.posthouse.relay.JointSide.Sight.UNDECIDED;
import static org.posthouse.relay.JointSide.Step.BIND_AGAIN;
import static org.posthouse.relay.JointSide.Step.GONE;
import static org.posthouse.relay.JointSide.Step.STAYS;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameRecord;
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
        assertThat(side.found(NOTHING, false, false)).isEqualTo(STAYS);
        assertThat(side.found(JOINED, false, false)).isEqualTo(STAYS);
        assertThat(side.found(NOTHING, false, false)).isEqualTo(GONE);
        assertThat(side.why()).isEqualTo("job 0000000000000071 has left it or has ended");
    }

    /** Its relay binds it again, if it is there. */
    @Test
    void loggedJobOfAnotherRelayHasEndedWhenItsNameIsGoneAtManyLooksInARow() {
        JointSide side = elsewhere(60_000);
        side.found(JOINED, true, false);
        for (int round = 0; round < 2; round++) {
            for (int missed = 1; missed < JointSide.MISSED_MAX; missed++) {
                assertThat(side.found(NOTHING, true, false)).isEqualTo(STAYS);
            }
            assertThat(side.found(JOINED, true, false)).isEqualTo(STAYS);
        }
        for (int missed = 1; missed < JointSide.MISSED_MAX; missed++) {
            side.found(NOTHING, true, false);
        }
        assertThat(side.found(NOTHING, true, false)).isEqualTo(GONE);
        assertThat(JointSide.MISSED_MAX).as("looks of one that waits, against one of the job's own relay").isGreaterThanOrEqualTo(5);
    }

    @Test
    void nameOfAnOpenLoggedJobOfThisRelayIsBoundAgainAtTheFirstMiss() {
        JointSide side = new JointSide(7, PART, true, 60_000, false);
        assertThat(side.found(NOTHING, true, true)).as("before it has begun").isEqualTo(STAYS);
        side.found(JOINED, true, true);
        side.found(JOINED, true, true);
        for (int missed = 0; missed < 2 * JointSide.MISSED_MAX; missed++) {
            assertThat(side.found(NOTHING, true, true)).isEqualTo(BIND_AGAIN);
        }
    }

    /** The other relay, which may have been started earlier, counts already. */
    @Test
    void nameOfARecoveredJobOfThisRelayIsBoundAgainAtTheFirstLook() {
        assertThat(new JointSide(7, PART, true, 60_000, true).found(NOTHING, true, true)).isEqualTo(BIND_AGAIN);
        assertThat(new JointSide(7, PART, false, 60_000, true).found(NOTHING, true, false)).as("of another relay").isEqualTo(STAYS);
    }

    /** Its root takes its name away when the join has failed, and the joint job ends when both have. */
    @Test
    void nameOfAJoinThatHasFailedIsNotBoundAgain() {
        for (JointSide.Sight last : new JointSide.Sight[] {UNDECIDED, JOINED}) {
            JointSide side = new JointSide(7, PART, true, 60_000, false);
            side.found(UNDECIDED, true, true);
            side.found(last, true, true);
            for (int missed = 1; missed < JointSide.MISSED_MAX; missed++) {
                assertThat(side.found(NOTHING, true, true)).isEqualTo(STAYS);
            }
            assertThat(side.found(NOTHING, true, true)).as("seen last as " + last).isEqualTo(GONE);
        }
        JointSide refused = new JointSide(7, PART, true, 60_000, true);
        refused.found(BOUND_AGAIN, true, true);
        assertThat(refused.found(NOTHING, true, true)).isEqualTo(BIND_AGAIN);
        refused.found(UNDECIDED, true, true);
        assertThat(refused.found(NOTHING, true, true)).isEqualTo(STAYS);
    }

    /** What a relay binds again says nothing of the group. */
    @Test
    void sightsAreToldApartByTheirRecords() {
        String name = JobJoin.sideName(7, 0x71);
        assertThat(JointSide.Sight.of(Optional.empty(), name)).isEqualTo(NOTHING);
        assertThat(sight(name, JobJoin.JOINED_FIELD)).isEqualTo(JOINED);
        assertThat(sight(name, JobJoin.REFUSED_FIELD)).isEqualTo(UNDECIDED);
        assertThat(sight(JobJoin.comingName(7, 0x71), "rank")).isEqualTo(UNDECIDED);
        assertThat(sight(name, "job")).isEqualTo(BOUND_AGAIN);
    }

    private static JointSide.Sight sight(String bound, String field) {
        return JointSide.Sight.of(Optional.of(new BoundName(Name.parse(bound), NameRecord.of(Map.of(field, "x")), 1)), JobJoin.sideName(7, 0x71));
    }

    @Test
    void jobThatHasNotBegunInTimeDoesNotCome() {
        JointSide side = elsewhere(-1);
        assertThat(side.found(NOTHING, false, false)).isEqualTo(GONE);
        assertThat(side.why()).isEqualTo("job 0000000000000071 has not come within -1 ms");
    }
}
