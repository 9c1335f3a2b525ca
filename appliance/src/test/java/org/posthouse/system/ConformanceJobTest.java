package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.conformance.ConformanceJob;
import org.posthouse.launch.Installation;

/** The conformance cases of {@code mpj-lite} as jobs: a process a rank, over real relays. */
@Timeout(180)
class ConformanceJobTest {
    @TempDir
    private Path folder;

    private Command.Result run(int ranks, int sites, int relays, String durability, String mode, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "run", "-n", Integer.toString(ranks), "--sites", Integer.toString(sites), "--relays-per-site",
                Integer.toString(relays), "--durability", durability, "--mode", mode, "--jvm", "-XX:TieredStopAtLevel=1", "-cp",
                Installation.jarOf(ConformanceJob.class).toString(), ConformanceJob.class.getName()));
        command.addAll(List.of(arguments));
        return Command.run(folder, command.toArray(String[]::new));
    }

    @ParameterizedTest(name = "{0} ranks on {1} sites of {2} relays, durability {3}, {4}")
    @CsvSource({
        "1, 1, 1, none, pipeline", "2, 2, 1, none, pooled", "3, 2, 1, none, threaded", "4, 1, 2, process, pooled",
        "4, 2, 1, process, pipeline", "8, 2, 2, none, multiplexed",
    })
    void everyCaseHolds(int ranks, int sites, int relays, String durability, String mode) throws Exception {
        Command.Result result = run(ranks, sites, relays, durability, mode, "first", "two words", "");
        assertThat(result.err()).isEmpty();
        assertThat(result.out()).containsPattern("\\[ ?0] \\d{3} cases hold at " + ranks + " ranks");
        assertThat(result.status()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"abort, 7", "openMpiAbort, 7", "fatalError, 1"})
    void endingsGiveTheJobTheirStatus(String ending, int status) throws Exception {
        assertThat(run(2, 1, 1, "none", "multiplexed", ending).status()).isEqualTo(status);
    }
}
