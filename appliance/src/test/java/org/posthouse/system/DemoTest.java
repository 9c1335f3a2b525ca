package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.examples.Examples;

/** {@code posthouse demo}: the README's first command; a rank of each job is killed. */
@Timeout(900)
class DemoTest {
    @TempDir
    private Path folder;

    @Test
    void everyExampleVerifiesOverTwoRelayProcessesAlthoughARankOfEachIsKilled() throws Exception {
        Command.Result result = Command.run(folder, "demo");
        assertThat(result.out())
                .contains("example:nas-ep S on 8 ranks, 4 at each site", "example:nas-is S on 8 ranks, 4 at each site")
                .contains("Every job verified.");
        assertThat(Examples.all()).allSatisfy(example -> assertThat(result.out()).contains("┌ example:" + example.name()));
        assertThat(result.out().lines().filter(line -> line.contains("Verification: SUCCESSFUL")))
                .hasSameSizeAs(Examples.all());
        assertThat(result.out().lines().filter(line -> line.matches(".* rank \\d was killed by signal 9 \\(SIGKILL\\): restarted .*")))
                .hasSameSizeAs(Examples.all());
        assertThat(result.out().lines().filter(line -> line.matches(".* verified +rank \\d killed, back in .* s.*")))
                .hasSameSizeAs(Examples.all());
        assertThat(result.out().lines().filter(line -> line.matches(".* verified .*; relay site-b killed, back in .* s, its ranks .* s later")))
                .as("in one job, below it and in the table")
                .hasSize(2);
        assertThat(result.status()).isZero();
        assertThat(result.err()).isEmpty();
    }
}
