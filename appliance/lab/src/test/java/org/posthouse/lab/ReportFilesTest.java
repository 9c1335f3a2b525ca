package org.posthouse.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.cli.Posthouse;
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
        Path file = Files.createFile(folder.resolve("file"));
        refused(line, option, folder, "it is a folder, expected a file");
        refused(line, option, file.resolve("x.svg"), file + " is no folder, expected one that is there");
    }

    /** The option goes in front of all others: behind --job all is the job's. */
    private static void refused(String line, String option, Path file, String why) {
        List<String> words = new ArrayList<>(List.of(line.split(" ")));
        words.addAll(2, List.of(option, file.toString()));
        StringWriter err = new StringWriter();
        assertThat(Posthouse.commandLine().setErr(new PrintWriter(err, true)).execute(words.toArray(String[]::new))).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains(option + " " + file + " cannot be written: " + why);
    }
}
