package org.posthouse.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobJoinTest {
    private static final JobJoin JOIN = SampleFrames.JOB_JOIN;

    @Test
    void acceptingRanksComeFirst() {
        assertThat(JOIN.size()).isEqualTo(3);
        assertThat(new int[] {JOIN.worldRankOf(0), JOIN.worldRankOf(1), JOIN.worldRankOf(2)}).containsExactly(4, 0, 5);
        assertThat(JOIN.partOf(1)).isSameAs(JOIN.accepting());
        assertThat(JOIN.partOf(2)).isSameAs(JOIN.connecting());
    }

    @Test
    void isTheSameJointJobWhoeverAsks() throws WireException {
        JobJoin other = JobJoin.decode(JOIN.by(1).encode());
        assertThat(other.job()).isEqualTo(JOIN.accepting().job());
        assertThat(other.rank()).isEqualTo(1);
        assertThat(other.isSameJoint(JOIN)).isTrue();
    }

    @Test
    void isAnotherJointJobWithOtherRanks() {
        JobJoin.Part part = new JobJoin.Part(JOIN.accepting().job(), new int[] {4, 1});
        JobJoin other = new JobJoin(JOIN.job(), JOIN.joint(), JOIN.rank(), part, JOIN.connecting(), JOIN.homes(), JOIN.homeOf());
        assertThat(other.isSameJoint(JOIN)).isFalse();
        JobJoin elsewhere =
                new JobJoin(JOIN.job(), JOIN.joint(), JOIN.rank(), JOIN.accepting(), JOIN.connecting(), JOIN.homes(), new int[] {0, 1, 1});
        assertThat(elsewhere.isSameJoint(JOIN)).isFalse();
    }

    @Test
    void openingOfTheJointJobTellsItsParts() throws WireException {
        JobOpen opening = JobOpen.decode(JobOpen.joint(JOIN, SampleFrames.TOKEN, Durability.HOST, "a and b").encode());
        assertThat(opening.isJoint()).isTrue();
        assertThat(opening.durability()).isEqualTo(Durability.HOST);
        assertThat(opening.token()).isEqualTo(SampleFrames.TOKEN);
        assertThat(JobJoin.of(opening).isSameJoint(JOIN)).isTrue();
        assertThat(JobOpen.decode(SampleFrames.JOB_OPEN.encode()).isJoint()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"PROCESS, RESTART", "PROCESS, ABORT", "NONE, ABORT", "NONE, BLANK", "NONE, SHRINK"})
    void openingKeepsWhatBecomesOfTheJobWhenARankDies(Durability durability, FailureMode mode) throws Exception {
        JobOpen plain = new JobOpen(7, SampleFrames.TOKEN, durability, false, "a", SampleFrames.JOB_OPEN.homes(), new int[] {0});
        JobOpen opening = JobOpen.decode(plain.with(mode).encode());
        assertThat(opening.onFailure()).isEqualTo(mode);
        assertThat(opening.comingBack().keepingOutput().at("relay").onFailure()).isEqualTo(mode);
        assertThat(JobOpen.decode(plain.encode()).onFailure()).isEqualTo(FailureMode.usual(durability != Durability.NONE));
    }

    @Test
    void openingOfAJobThatReplacesItsDeadHasAHomeForEachProcess() throws Exception {
        JobOpen opening = new JobOpen(7, SampleFrames.TOKEN, false, "rebuild", SampleFrames.HOMES, new int[] {0, 1, 1}).rebuilding(3);
        JobOpen read = JobOpen.decode(opening.encode()).comingBack();
        assertThat(read.onFailure()).isEqualTo(FailureMode.REBUILD);
        assertThat(read.homeOf()).containsExactly(0, 1, 1, 0, 1, 1, 0, 1, 1);
        assertThat(read.ranks()).isEqualTo(3);
        assertThat(read.tokenOf(4)).isEqualTo(opening.tokenOf(4)).isNotEqualTo(opening.tokenOf(1));
        ByteBuffer frame = opening.encode();
        frame.putInt(frame.limit() - Integer.BYTES, 2);
        assertThatThrownBy(() -> JobOpen.decode(frame)).isInstanceOf(WireException.class).hasMessageContaining("9 processes, 2 for each rank");
    }

    @Test
    void refusesAnOpeningWhoseProcessesOfARankHaveDifferentHomes() {
        ByteBuffer frame =
                new JobOpen(7, SampleFrames.TOKEN, Durability.NONE, false, "rebuild", SampleFrames.HOMES, new int[] {0, 1, 0, 0}, 0, false, List.of(),
                        FailureMode.REBUILD, FollowedRanks.NONE, 2).encode();
        assertThatThrownBy(() -> JobOpen.decode(frame)).isInstanceOf(WireException.class)
                .hasMessageContaining("process 3 at home 0, expected 1, that of its rank 1");
    }

    @ParameterizedTest
    @CsvSource({"64", "80", "104"})
    void refusesNewProcessesForTheDeadOfWhomNobodyIsToldOrThatAreFollowed(int start) {
        ByteBuffer frame = new JobOpen(7, SampleFrames.TOKEN, false, "rebuild", SampleFrames.HOMES, new int[] {0, 1}).rebuilding(2).encode();
        frame.putShort(frame.position() + 32, (short) start);
        assertThatThrownBy(() -> JobOpen.decode(frame)).isInstanceOf(WireException.class).hasMessageContaining("start " + start + " that has 64");
    }

    @Test
    void refusesAnOpeningWithOtherRanksThanItsParts() {
        JobOpen opening = JobOpen.joint(JOIN, SampleFrames.TOKEN, Durability.PROCESS, "a and b");
        ByteBuffer frame = new JobOpen(
                opening.job(), opening.token(), opening.durability(), false, "a and b", opening.homes(), new int[] {0, 0}, 0, false, opening.parts(),
                opening.onFailure(), FollowedRanks.NONE, 1)
                .encode();
        assertThatThrownBy(() -> JobOpen.decode(frame)).isInstanceOf(WireException.class).hasMessageContaining("joint job of 2 ranks, with 3 processes");
    }

    @Test
    void refusesTwoPartsOfOneJob() {
        JobJoin.Part part = new JobJoin.Part(JOIN.job(), new int[] {1, 2});
        ByteBuffer frame = new JobJoin(JOIN.job(), JOIN.joint(), 2, part, JOIN.connecting(), JOIN.homes(), JOIN.homeOf()).encode();
        assertThatThrownBy(() -> JobJoin.decode(frame)).isInstanceOf(WireException.class).hasMessageContaining("expected ranks of two jobs");
    }

    @Test
    void sealedTokenIsReadWithTheRanksOwnTokenOnly() {
        Token own = new Token(1, 2);
        Token sealed = JobJoined.seal(SampleFrames.TOKEN, own, 7);
        assertThat(JobJoined.seal(sealed, own, 7)).isEqualTo(SampleFrames.TOKEN);
        assertThat(JobJoined.seal(sealed, new Token(1, 3), 7)).isNotEqualTo(SampleFrames.TOKEN);
        assertThat(JobJoined.seal(sealed, own, 8)).isNotEqualTo(SampleFrames.TOKEN);
    }
}
