package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;
import org.posthouse.examples.Examples;

/** {@code posthouse demo}: the README's first command; a rank of each job is killed. */
@Timeout(900)
class DemoTest {
    @TempDir
    private Path folder;

    /** In heat the relay of the second site is killed too. */
    @Tag("long")
    @Test
    void theNamedOnesVerifyAlthoughARankOfEachIsKilled() throws Exception {
        Command.Result result = Command.run(folder, "demo", "heat");
        assertThat(result.out().lines().filter(line -> line.contains("┌ example:"))).hasSize(1);
        assertVerified(result, 1);
    }

    /** One node of the six dies, and its ranks go on at another of its site. */
    @Test
    @Tag("long")
    void aNodeOfEachJobIsKilledWhereRanksRunOnNodes() throws Exception {
        Command.Result result = Command.run(folder, "demo", "--nodes", "3", "ring", "nas-is");
        assertThat(result.out().lines().filter(line -> line.matches(" *site site-[ab], node site-[ab]-[123], .*: ranks? .*"))).as(result.out()).hasSize(6);
        assertThat(result.out()).contains("Every job verified.");
        assertThat(result.out().lines().filter(line -> line.contains("Verification: SUCCESSFUL"))).hasSize(2);
        assertThat(result.out().lines().filter(line -> line.matches(" .* verified +node site-[ab]-[123] killed, its (\\d )?ranks? back in .* s.*")))
                .as(result.out())
                .hasSize(2);
        assertThat(result.status()).isZero();
        assertThat(result.err()).isEmpty();
    }

    @Test
    void oneNodeIsRefused() {
        InProcess.Result result = InProcess.run("demo", "--nodes", "1", "ring");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).startsWith("posthouse demo: --nodes 1, expected 2 to 16 agents of each site");
    }

    @Test
    void oneThatIsNoneIsRefusedByName() {
        InProcess.Result result = InProcess.run("demo", "ring", "nas-mg");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).startsWith("posthouse demo: \"nas-mg\" is no example of the demo, expected pi, ring, heat, ");
    }

    @Test
    @Tag("long")
    void everyExampleVerifiesOverTwoRelayProcessesAlthoughARankOfEachIsKilled() throws Exception {
        Command.Result result = Command.run(folder, "demo");
        assertThat(result.out()).contains("example:nas-ep S on 8 ranks, 4 at each site", "example:nas-is S on 8 ranks, 4 at each site");
        assertThat(Examples.all()).allSatisfy(example -> assertThat(result.out()).contains("┌ example:" + example.name()));
        assertVerified(result, Examples.all().size());
    }

    private static void assertVerified(Command.Result result, int jobs) {
        assertThat(result.out()).contains("Every job verified.");
        assertThat(result.out().lines().filter(line -> line.contains("Verification: SUCCESSFUL"))).hasSize(jobs);
        assertThat(result.out().lines().filter(line -> line.matches(".* rank \\d was killed by signal 9 \\(SIGKILL\\): restarted .*")))
                .hasSize(jobs);
        assertThat(result.out().lines().filter(line -> line.matches(".* verified +rank \\d killed, back in .* s.*")))
                .hasSize(jobs);
        assertThat(result.out().lines().filter(line -> line.matches(".* verified .*; relay site-b killed, back in .* s, its ranks .* s later")))
                .as("in one job, below it and in the table")
                .hasSize(2);
        assertThat(result.status()).isZero();
        assertThat(result.err()).isEmpty();
    }
}
