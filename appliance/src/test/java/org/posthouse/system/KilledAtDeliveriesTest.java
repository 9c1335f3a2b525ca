package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.system.jobs.BranchesOnProbe;
import org.posthouse.system.jobs.BranchesOnTestsome;
import org.posthouse.system.jobs.Diverges;
import org.posthouse.system.jobs.MakesCommunicators;
import org.posthouse.system.jobs.MasterOfAny;
import org.posthouse.system.jobs.PublishesNames;

/**
 * Promise P4 for programs whose result depends on the order of messages, on failed probes, on what Testsome answered or on what was published,
 * or which make communicators beside a collective:
 * killed at one delivery after the other, restarted, and still of one mind with their peers. Real processes.
 */
@Timeout(900)
class KilledAtDeliveriesTest {
    @TempDir
    private Path folder;

    static Stream<Arguments> jobs() {
        return Stream.of(arguments(BranchesOnProbe.class, "2", "0:9;1:4"), arguments(BranchesOnTestsome.class, "4", "0:1,50"));
    }

    static Stream<Arguments> jobsKilledElsewhere() {
        return Stream.of(
                arguments(MasterOfAny.class, "4", "0:7,8;1:5"),
                arguments(MakesCommunicators.class, "3", "0:7;2:20"),
                arguments(PublishesNames.class, "2", "0:9,16;1:4"),
                arguments(MasterOfAny.class, "4", "0:1,30,61"),
                arguments(MasterOfAny.class, "4", "0:7,8,9;1:5;2:6;3:20"),
                arguments(MakesCommunicators.class, "3", "0:7,18;1:12;2:20"),
                arguments(BranchesOnProbe.class, "2", "0:9,21;1:4,20"),
                arguments(BranchesOnProbe.class, "2", "0:1,2,20"),
                arguments(BranchesOnTestsome.class, "4", "0:11,12;1:3,18;3:20"),
                arguments(PublishesNames.class, "2", "0:1,2,11;1:1,10,20"));
    }

    /** On two sites, where the receiver's relay has the log. */
    @Test
    void reportsWhereNonDeterministicProgramDiverges() throws Exception {
        assertReportsDivergence("--sites", "2");
    }

    private void assertReportsDivergence(String option, String value) throws Exception {
        Command.Result result = Command.run(
                folder, "run", "-n", "2", option, value, "--durability", "process", "-cp", Jobs.classPath(), Diverges.class.getName(), "40", "0:30");
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.err())
                .contains("rank 0 was restarted and does not send what it sent before: message 1 to rank 1 in context")
                .contains("has other content in 8 bytes")
                .contains("what ranks did again differs from what they had done, at least 16 times");
        assertThat(Jobs.told(result, "DIVERGED")).as("no flood of them").hasSize(16);
    }

    /** On one site, where the sender's relay has the log. A relay that is restarted knows it from there. */
    @Tag("long")
    @Test
    void logsFirstDivergenceAndEachDoublingOfTheirCount() throws Exception {
        Path data = folder.resolve("data");
        try (Relays relay = Relays.start(folder, "here", "--data", data.toString())) {
            assertReportsDivergence("--relay", relay.ranks());
        }
        List<Long> counts = new ArrayList<>();
        MessageLog.scan(data.resolve("log"), entry -> {
            if (entry.record() instanceof LogRecord.Diverged diverged) {
                counts.add(diverged.count());
                assertThat(StandardCharsets.UTF_8.decode(entry.payload()).toString()).startsWith("rank 0 was restarted and does not send");
            }
        });
        assertThat(counts).startsWith(1L, 2L, 4L, 8L, 16L).allMatch(count -> Long.bitCount(count) == 1).isSorted();
    }

    @Tag("long")
    @ParameterizedTest
    @MethodSource("jobsKilledElsewhere")
    void alsoIfItIsKilledElsewhere(Class<?> program, String ranks, String kills) throws Exception {
        itIsBroughtBackToWhereItWas(program, ranks, kills);
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void itIsBroughtBackToWhereItWas(Class<?> program, String ranks, String kills) throws Exception {
        Command.Result result = Command.run(
                folder,
                "run", "-n", ranks, "--durability", "process", "-cp", Jobs.classPath(), program.getName(), "21", kills);
        assertThat(result.err()).as(result.out()).doesNotContain("iverge");
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).containsOnlyOnce("Verification: SUCCESSFUL");
        long deaths = kills.chars().filter(c -> c == ',' || c == ':').count();
        assertThat(result.err().lines().filter(line -> line.contains("restarted"))).as(result.err()).hasSize((int) deaths);
    }
}
