package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.conformance.ConformanceJob;
import org.posthouse.launch.install.Installation;
import org.posthouse.mpj.channel.LocalSockets;

/** The conformance cases of {@code mpj-lite} as jobs: a process a rank, over real relays. */
@Timeout(900)
class ConformanceJobTest {
    @TempDir
    private Path folder;

    private static List<String> job(int ranks, int sites, int relays, String durability, String mode, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                "run", "-n", Integer.toString(ranks), "--sites", Integer.toString(sites), "--relays-per-site",
                Integer.toString(relays), "--durability", durability, "--mode", mode, "-cp",
                Installation.jarOf(ConformanceJob.class).toString(), ConformanceJob.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    private Command.Result run(List<String> first, List<String> command) throws Exception {
        try (Command running = Command.startBehind(folder, first, List.of(), command.toArray(String[]::new))) {
            return running.await();
        }
    }

    @ParameterizedTest(name = "{0} ranks on {1} sites of {2} relays, durability {3}, {4}")
    @CsvSource("1, 1, 1, none, multiplexed")
    void everyCaseHolds(int ranks, int sites, int relays, String durability, String mode) throws Exception {
        holds(ranks, run(List.of(), job(ranks, sites, relays, durability, mode, "first", "two words", "")));
    }

    @Tag("long")
    @ParameterizedTest(name = "{0} ranks on {1} sites of {2} relays, durability {3}, {4}")
    @CsvSource({"4, 2, 1, process, pipeline", "3, 2, 1, none, threaded", "4, 1, 2, process, pooled", "8, 2, 2, none, multiplexed"})
    void everyCaseHoldsElsewhere(int ranks, int sites, int relays, String durability, String mode) throws Exception {
        holds(ranks, run(List.of(), job(ranks, sites, relays, durability, mode, "first", "two words", "")));
    }

    /** {@link BadJobTest} has another that aborts. */
    @ParameterizedTest
    @ValueSource(strings = {"abort", "openMpiAbort"})
    @Tag("long")
    void soDoesAnAbort(String ending) throws Exception {
        endingsGiveTheJobTheirStatus(ending, 7);
    }

    /** As ranks on other hosts than the relay's connect. */
    @Tag("long")
    @Test
    void everyCaseHoldsThroughPorts() throws Exception {
        holdsThroughPorts(4, "threaded", "process");
    }

    @Test
    @Tag("long")
    void everyCaseHoldsThroughPortsOfOneLoopWithoutALog() throws Exception {
        holdsThroughPorts(2, "multiplexed", "none");
    }

    private void holdsThroughPorts(int ranks, String mode, String durability) throws Exception {
        List<String> ports = List.of("env", LocalSockets.VARIABLE + "=" + LocalSockets.OFF);
        holds(ranks, run(ports, job(ranks, 2, 1, durability, mode, "first", "two words", "")));
    }

    private static void holds(int ranks, Command.Result result) {
        assertThat(result.err().lines().filter(line -> !line.matches(".*(asked for MPI.THREAD_MULTIPLE|not ready yet: ).*"))).isEmpty();
        assertThat(result.out()).containsPattern("\\[ ?0] \\d{3} cases hold at " + ranks + " ranks");
        assertThat(result.status()).isZero();
    }

    @ParameterizedTest
    @CsvSource("fatalError, 1")
    void endingsGiveTheJobTheirStatus(String ending, int status) throws Exception {
        assertThat(run(List.of(), job(2, 1, 1, "none", "multiplexed", ending)).status()).isEqualTo(status);
    }
}
