package org.posthouse.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.mpj.Endpoints;
import org.posthouse.wire.Home;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** What a rank's process is started with, and when. */
class RankProcessTest {
    /** A launcher that comes later would give its number to another process, which its relay could not tell from it. */
    @Test
    void noProcessIsStartedWhoseNumberIsNotWrittenDown(@TempDir Path above) throws Exception {
        JobSpec spec = new JobSpec(
                "test", 1, List.of(Installation.jarOf(Puppet.class)), Puppet.class.getName(), List.of(), List.of(), Map.of(), JobOpen.PROCESS,
                Patience.DEFAULT);
        JobOpen opening = new JobOpen(
                1, new Token(1, 2), JobOpen.PROCESS, false, "test", List.of(new Home("a", "a", "127.0.0.1:1")), new int[1], 60, true);
        JobFolder folder = JobFolder.create(above.resolve("job"));
        folder.describe(new JobFile(spec, above, opening, Optional.empty()));
        folder.close();
        PrintStream output = new PrintStream(new ByteArrayOutputStream());
        List<ProcessHandle> before = ProcessHandle.current().children().toList();
        try (RankProcesses processes = new RankProcesses(
                spec, 1, opening.token(), rank -> "127.0.0.1:1", RankOutput.tagged(1, output, output), OutputTapes.in(folder, signal -> {}), folder,
                signal -> {})) {
            assertThatThrownBy(() -> processes.start(0, 1)).isInstanceOf(JobFailure.class)
                    .hasMessageContaining("the job's folder " + folder.path() + " cannot be written");
            assertThat(ProcessHandle.current().children()).isSubsetOf(before);
        }
    }

    /** Else it would set the other rank's marks, in whose output its own comes. */
    @Test
    void aJobThatARankOfAnotherStartsIsToldNothingOfThat() {
        Map<String, String> environment = new HashMap<>(Map.of(Endpoints.PRINT_MARKS, "0123456789abcdef", Endpoints.RESTARTABLE, "yes", "HOME", "/"));
        RankProcess.sayWhatIsKept(environment, false, null);
        assertThat(environment).isEqualTo(Map.of("HOME", "/"));
        RankProcess.sayWhatIsKept(environment, true, "fedcba9876543210");
        assertThat(environment).isEqualTo(Map.of(Endpoints.PRINT_MARKS, "fedcba9876543210", Endpoints.RESTARTABLE, "yes", "HOME", "/"));
    }
}
