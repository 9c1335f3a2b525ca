package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.terminal.FishCompletion;
import picocli.AutoComplete;

/** The scripts, run by the shells that this host has; bash is always one of them. */
class CompletionCommandTest {
    @TempDir
    private Path folder;

    private List<String> shell(String... words) throws IOException, InterruptedException {
        Process shell = new ProcessBuilder(words).directory(folder.toFile()).redirectErrorStream(true).start();
        String printed = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(shell.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(shell.exitValue()).as(printed).isZero();
        return printed.lines().map(line -> line.replaceFirst("\t.*", "").strip()).toList();
    }

    private static boolean isInstalled(String shell) {
        return Stream.of(System.getenv("PATH").split(":")).anyMatch(bin -> Files.isExecutable(Path.of(bin, shell)));
    }

    private List<String> bash(String... words) throws IOException, InterruptedException {
        Path script = Files.writeString(folder.resolve("posthouse.bash"), AutoComplete.bash("posthouse", Posthouse.commandLine()));
        String line = "source " + script + "; COMP_WORDS=(" + String.join(" ", words) + " ''); COMP_CWORD=" + words.length
                + "; _complete_posthouse; printf '%s\\n' \"${COMPREPLY[@]}\"";
        return shell("bash", "-c", line);
    }

    @Test
    void bashCompletesCommandsAndOptions() throws Exception {
        assertThat(bash("posthouse")).contains("run", "jobs", "completion").doesNotContain("rehearse", "generate-completion");
        assertThat(bash("posthouse", "jobs")).contains("ls", "show", "abort", "output");
    }

    /** Zsh runs the same script with its own bashcompinit. */
    @Test
    void zshTakesTheScriptOfBash() throws Exception {
        assumeTrue(isInstalled("zsh"), "zsh is not installed");
        Path script = Files.writeString(folder.resolve("posthouse.zsh"), AutoComplete.bash("posthouse", Posthouse.commandLine()));
        assertThat(shell("zsh", "-fc", "autoload -U compinit && compinit -u; source " + script + " && whence -w _complete_posthouse"))
                .anyMatch(line -> line.contains("_complete_posthouse: function"));
    }

    @Test
    void fishCompletesCommandsAndOptions() throws Exception {
        assumeTrue(isInstalled("fish"), "fish is not installed");
        Path script = Files.writeString(folder.resolve("posthouse.fish"), FishCompletion.script(Posthouse.commandLine()));
        assertThat(shell("fish", "-c", "source " + script + "; complete -C 'posthouse '")).contains("run", "jobs");
        assertThat(shell("fish", "-c", "source " + script + "; complete -C 'posthouse jobs '")).contains("ls", "abort").doesNotContain("run");
        assertThat(shell("fish", "-c", "source " + script + "; complete -C 'posthouse run --durability '")).contains("none", "process", "host");
    }

    @Test
    void theScriptOfFishHasEachCommandAndOptionWithItsValues() {
        String script = FishCompletion.script(Posthouse.commandLine());
        assertThat(script)
                .contains("complete -c posthouse -n '__fish_use_subcommand' -f -a run -d 'Runs an MPI program'\n")
                .contains("-n '__fish_seen_subcommand_from run' -s n -o np -l ranks -x")
                .contains("-l durability -x -a 'none process host'")
                .contains("-n '__fish_seen_subcommand_from jobs; and __fish_seen_subcommand_from abort'")
                .contains("-n '__fish_seen_subcommand_from keys; and not __fish_seen_subcommand_from init issue show renew revoke' -f -a init")
                .doesNotContain("rehearse -d", "end-with-input");
        assertThat(script.lines().filter(line -> !line.startsWith("#"))).allMatch(line -> line.startsWith("complete -c posthouse "));
    }
}
