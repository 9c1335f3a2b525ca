package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** No bench measures what it cannot write down. */
class ReportFilesTest {
    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "bench barrier -n 2 --repetitions 1 --phase-ms 1, --json",
        "bench pingpong --sizes 1 --repetitions 1 --phase-ms 1 --no-baselines, --plot",
        "bench scale --clients 2 --sizes 1 --repetitions 1 --phase-ms 1 --modes multiplexed, --json",
        "bench scale --clients 2 --sizes 1 --repetitions 1 --phase-ms 1 --modes multiplexed, --plot",
        "bench job -n 1 --repetitions 1 --durability none --job example:pi 1000, --json",
        "bench logflow --bytes 1 --log-limit 64m, --json",
        "bench wan --profile none --sizes 1 --phase-ms 1 --no-tunnels --durability none, --json",
        "bench wan --profile none --sizes 1 --phase-ms 1 --no-tunnels --durability none, --plot"
    })
    void aFileThatCannotBeWrittenIsRefusedBeforeAnythingIsMeasured(String line, String option) throws Exception {
        int job = line.indexOf(" --job ");
        String before = job < 0 ? line : line.substring(0, job);
        String after = job < 0 ? "" : line.substring(job);
        Path file = Files.createFile(folder.resolve("file"));
        refused(before + " " + option + " " + folder + after, option + " " + folder + " cannot be written: it is a folder, expected a file");
        refused(before + " " + option + " " + file.resolve("x.svg") + after,
                option + " " + file.resolve("x.svg") + " cannot be written: " + file + " is no folder, expected one that is there");
    }

    private static void refused(String line, String why) {
        StringWriter err = new StringWriter();
        assertThat(Posthouse.commandLine().setErr(new PrintWriter(err, true)).execute(line.split(" "))).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains(why);
    }
}
