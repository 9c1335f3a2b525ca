package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.file.Path;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.system.jobs.BranchesOnProbe;
import org.posthouse.system.jobs.BranchesOnTestsome;
import org.posthouse.system.jobs.MasterOfAny;
import org.posthouse.system.jobs.PrintsAfterFinalize;

/**
 * As {@link KilledAtDeliveriesTest}, with {@code posthouse run -r 2}: programs whose result depends on ANY_SOURCE, on failed probes or on what
 * Testsome answered, of which a leader is killed at one delivery after the other. Its follower goes on, and nothing is restarted.
 */
@Timeout(900)
final class ReplicatedRanksKilledTest {
    private static final int EVERY = 4;
    private static final int LAST = 44;

    @TempDir
    private Path folder;

    static Stream<Arguments> jobs() {
        return Stream.of(arguments(MasterOfAny.class, "4", "0:30;1:5"));
    }

    static Stream<Arguments> jobsKilledAtEveryDelivery() {
        return IntStream.rangeClosed(1, LAST / EVERY)
                .boxed()
                .flatMap(step -> Stream.of(
                        arguments(MasterOfAny.class, "4", "0:" + step * EVERY),
                        arguments(BranchesOnProbe.class, "2", "0:" + (1 + step)),
                        arguments(BranchesOnTestsome.class, "4", "0:" + (1 + step))));
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void followerGoesOnWhereItsLeaderWasKilled(Class<?> program, String ranks, String kills) throws Exception {
        Command.Result result = Command.run(
                folder,
                "run", "-n", ranks, "-r", "2", "--durability", "process", "-cp", Jobs.classPath(), program.getName(), "21", kills);
        assertThat(result.err()).as(result.out()).doesNotContain("iverge").doesNotContain("restarted");
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).containsOnlyOnce("Verification: SUCCESSFUL");
        long deaths = kills.chars().filter(c -> c == ':').count();
        assertThat(result.err().lines().filter(line -> line.contains("leads now"))).as(result.err()).hasSize((int) deaths);
    }

    /** No relay keeps a log. */
    @ParameterizedTest
    @EnumSource(names = "PIPELINE")
    void sameHoldsWithoutDurability(RelayConfig.Mode mode) throws Exception {
        Command.Result result = Command.run(
                folder,
                "run", "-n", "4", "-r", "2", "--mode", mode.word(), "-cp", Jobs.classPath(), MasterOfAny.class.getName(), "21", "0:30;1:5");
        assertThat(result.err()).as(result.out()).doesNotContain("iverge").contains("the end of a relay ends the job");
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).containsOnlyOnce("Verification: SUCCESSFUL");
        assertThat(result.err().lines().filter(line -> line.contains("leads now"))).as(result.err()).hasSize(2);
    }

    @Tag("long")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PIPELINE")
    void sameHoldsWithoutDurabilityInTheOtherModesOfTheRelays(RelayConfig.Mode mode) throws Exception {
        sameHoldsWithoutDurability(mode);
    }

    /** Its relay has nothing to promote any more. */
    @Test
    void followerEndsForItsLeaderThatIsKilledAfterFinalizeAndPrintsTheRest() throws Exception {
        followerEndsForItsLeaderThatIsKilledAfterFinalizeAndPrintsTheRest("none");
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = "process")
    void followerEndsForItsLeaderThatIsKilledAfterFinalizeAndPrintsTheRest(String durability) throws Exception {
        Command.Result result = Command.run(
                folder,
                "run", "-n", "2", "-r", "2", "--durability", durability, "-cp", Jobs.classPath(), PrintsAfterFinalize.class.getName(), "0:1");
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.err()).contains("rank 0 was killed by signal 9 (SIGKILL) after MPI.Finalize: follower 2").doesNotContain("restarted");
        assertThat(result.out()).containsOnlyOnce("SUCCESSFUL of rank 0").containsOnlyOnce("SUCCESSFUL of rank 1");
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("jobsKilledAtEveryDelivery")
    void followerGoesOnWhereverItsLeaderIsKilled(Class<?> program, String ranks, String kills) throws Exception {
        followerGoesOnWhereItsLeaderWasKilled(program, ranks, kills);
    }
}
