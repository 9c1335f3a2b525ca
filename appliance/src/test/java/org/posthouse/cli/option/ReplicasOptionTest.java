package org.posthouse.cli.option;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.posthouse.launch.job.Replicas;
import org.posthouse.wire.FailureMode;
import picocli.CommandLine;

class ReplicasOptionTest {
    private static ReplicasOption option(String... words) {
        return CommandLine.populateCommand(new ReplicasOption(), words);
    }

    private static ReplicasOption two() {
        return option("-r", "2");
    }

    private static void assertRefused(ThrowingCallable check, String why) {
        assertThatThrownBy(check).isInstanceOf(CommandFailure.class).hasMessage(why);
    }

    @Test
    void withoutItEachRankHasOneProcessWhateverElseIsGiven() {
        assertThat(option().replicas()).isEqualTo(Replicas.NONE);
        assertThatCode(() -> option().check(4, false, FailureMode.SHRINK, 0, true, false)).doesNotThrowAnyException();
    }

    @Test
    void bothNamesTakeADegreeAndRanks() {
        assertThat(option("--replicas", "3:0,2-4").replicas()).isEqualTo(new Replicas(3, "0,2-4"));
        assertThatCode(() -> option("-r", "2:0-3").check(4, true, FailureMode.RESTART, 3, false, true)).doesNotThrowAnyException();
        assertThatThrownBy(() -> option("-r", "many")).hasMessageContaining("\"many\", expected a degree such as 2, or a degree and ranks such as 2:0,3,7-9");
    }

    @Test
    void ranksThatTheJobHasNotAreRefused() {
        assertRefused(() -> option("-r", "2:4").check(4, true, FailureMode.RESTART, 3, false, true),
                "-r 2:4: rank 4 of a job of 4 ranks, which has ranks 0 to 3");
    }

    @Test
    void aJobWithoutALogMayHaveReplicasUnlessItsProgramIsToldOfDeaths() {
        assertThatCode(() -> two().check(4, false, FailureMode.ABORT, 0, false, true)).doesNotThrowAnyException();
        assertRefused(
                () -> two().check(4, false, FailureMode.BLANK, 3, false, true),
                "-r 2 and --on-failure blank: a program that is told of deaths goes on without the dead, whose followers would go on too; leave one of the two out");
    }

    @Test
    void aJobThatADeathEndsIsRefused() {
        assertRefused(
                () -> two().check(4, true, FailureMode.ABORT, 3, false, true),
                "-r 2 and --on-failure abort: the death of a process would end the job; leave one of the two out");
        assertRefused(
                () -> two().check(4, true, FailureMode.RESTART, 0, false, true),
                "-r 2 and --max-restarts 0: the death of a process would end the job; leave one of the two out");
    }

    @Test
    void whatDoesNotGoTogetherYetIsRefused() {
        assertRefused(
                () -> two().check(4, true, FailureMode.RESTART, 3, true, true),
                "-r 2 and --folder: another launcher cannot go on with followers; leave one of the two out");
        assertThatCode(() -> two().check(4, true, FailureMode.RESTART, 3, false, false)).doesNotThrowAnyException();
        assertRefused(
                () -> option("-r", "2:0").check(4, true, FailureMode.RESTART, 3, false, false),
                "-r 2:0 and --map-by: which ranks are replicated is decided before they are numbered; leave one of the two out");
    }
}
