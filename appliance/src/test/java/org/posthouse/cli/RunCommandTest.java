package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.launch.install.Installation;
import org.posthouse.mpj.progress.Settings;
import picocli.CommandLine;

class RunCommandTest {
    private static Map<String, String> environment(Map<String, String> own, String relayTimeout) throws CommandFailure {
        return environment(own, "--relay-timeout", relayTimeout);
    }

    private static Map<String, String> environment(Map<String, String> own, String option, String value) throws CommandFailure {
        RunCommand run = new RunCommand();
        new CommandLine(run).parseArgs("-n", "2", "--durability", "PROCESS", option, value, "example:pi");
        return run.environment(own);
    }

    @Test
    void ranksWaitForALostRelayAsLongAsTheirLauncher() throws Exception {
        assertThat(environment(Map.of(), "600")).containsEntry(Settings.RECONNECT_S, "600");
        assertThat(environment(Map.of(), "1000000")).as("the most that they take").containsEntry(Settings.RECONNECT_S, "86400");
        assertThat(environment(Map.of(), "10")).doesNotContainKey(Settings.RECONNECT_S);
        assertThat(environment(Map.of(Settings.RECONNECT_S, "90"), "600")).as("the user has said it").doesNotContainKey(Settings.RECONNECT_S);
    }

    @Test
    void theRanksJavaIsLookedForBeforeAnythingIsStarted() throws Exception {
        assertThat(environment(Map.of(Installation.RANK_JAVA_HOME, System.getProperty("java.home")), "60")).isEmpty();
        assertThatThrownBy(() -> environment(Map.of(Installation.RANK_JAVA_HOME, "/no/jdk-17"), "60"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("no program /no/jdk-17/bin/java")
                .hasMessageContaining(Installation.RANK_JAVA_HOME);
    }

    @Test
    void variablesOfRanksAreNamedOrGiven() throws Exception {
        assertThat(environment(Map.of("COLOUR", "red"), "-x", "COLOUR")).containsEntry("COLOUR", "red");
        assertThat(environment(Map.of(), "-x", "COLOUR=a=b")).containsEntry("COLOUR", "a=b");
        assertThatThrownBy(() -> environment(Map.of(), "-x", "COLOUR"))
                .isInstanceOf(CommandFailure.class)
                .hasMessage("-x COLOUR: this command has no such variable; give -x COLOUR=VALUE");
    }

    /** A launcher that goes on with the job may have the variable, and its ranks would come with another Java than before. */
    @Test
    void aJobWithAFolderKeepsThatNoOtherJavaWasAskedFor() throws Exception {
        assertThat(environment(Map.of(), "--folder", "june")).containsEntry(Installation.RANK_JAVA_HOME, "");
        String java = System.getProperty("java.home");
        assertThat(environment(Map.of(Installation.RANK_JAVA_HOME, java), "--folder", "june")).containsEntry(Installation.RANK_JAVA_HOME, java);
    }
}
