package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.posthouse.mpj.Settings;
import picocli.CommandLine;

class RunCommandTest {
    private static Map<String, String> environment(Map<String, String> own, String relayTimeout) throws CommandFailure {
        RunCommand run = new RunCommand();
        new CommandLine(run).parseArgs("-n", "2", "--durability", "PROCESS", "--relay-timeout", relayTimeout, "example:pi");
        return run.environment(own);
    }

    @Test
    void ranksWaitForARelayThatReadsALargeLogAsLongAsTheirLauncher() throws Exception {
        assertThat(environment(Map.of(), "600")).containsEntry(Settings.RECONNECT_S, "600");
        assertThat(environment(Map.of(), "1000000")).as("the most that they take").containsEntry(Settings.RECONNECT_S, "86400");
        assertThat(environment(Map.of(), "10")).doesNotContainKey(Settings.RECONNECT_S);
        assertThat(environment(Map.of(Settings.RECONNECT_S, "90"), "600")).as("the user has said it").doesNotContainKey(Settings.RECONNECT_S);
    }
}
