package org.posthouse.cli.option;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.posthouse.cli.RelayCommand;
import org.posthouse.cli.RunCommand;
import picocli.CommandLine;

/** Options of a log where there is none. */
class LogWordsTest {
    private static Optional<String> warning(Object command, String... arguments) {
        CommandLine line = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
        line.parseArgs(arguments);
        return command instanceof RunCommand run ? run.withoutEffect() : ((RelayCommand) command).withoutEffect();
    }

    @Test
    void aRunWithoutLogNamesTheOptionsThatWereGivenForOne() {
        assertThat(warning(new RunCommand(), "-n", "2", "--log-limit", "20g", "--max-restarts", "5", "--checkpoint-every", "30s", "example:pi"))
                .contains("run: no effect of --max-restarts, --checkpoint-every, --log-limit: the job is not logged; give --durability process");
        assertThat(warning(new RunCommand(), "-n", "2", "--durability", "none", "--relay-timeout", "9", "--silence", "9", "--log-high-mark", "50",
                "--on-log-full", "abort", "example:pi"))
                .contains("run: no effect of --relay-timeout, --silence, --log-high-mark, --on-log-full: the job is not logged;"
                        + " give --durability process");
    }

    @Test
    void aRunWithALogOrWithoutSuchOptionsSaysNothing() {
        assertThat(warning(new RunCommand(), "-n", "2", "--durability", "host", "--max-restarts", "5", "example:pi")).isEmpty();
        assertThat(warning(new RunCommand(), "-n", "2", "--lanes", "2", "example:pi")).isEmpty();
    }

    @Test
    void aRelayWithoutDataNamesThemToo() {
        assertThat(warning(new RelayCommand(), "--site", "a", "--log-limit", "20g", "--launcher-timeout", "9"))
                .contains("relay: no effect of --log-limit, --launcher-timeout: the relay has no log; give --data DIR");
        assertThat(warning(new RelayCommand(), "--site", "a", "--log-limit", "20g", "--data", "d")).isEmpty();
        assertThat(warning(new RelayCommand(), "--site", "a")).isEmpty();
    }
}
