package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.posthouse.cli.config.Configuration;
import org.posthouse.cli.option.OptionsInUse;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Options of a relay and an agent from variables and a file. */
class ConfigurationTest {
    @TempDir
    private Path folder;

    private static CommandLine posthouse() {
        return Posthouse.commandLine();
    }

    private String file(String yaml) throws IOException {
        return Files.writeString(folder.resolve("posthouse.yaml"), yaml).toString();
    }

    private static List<String> words(Map<String, String> environment, String... words) {
        return List.of(Configuration.expand(posthouse(), environment, words));
    }

    private static String problem(Map<String, String> environment, String... words) {
        return assertThatExceptionOfType(ParameterException.class).isThrownBy(() -> words(environment, words)).actual().getMessage();
    }

    private static RelayCommand relay(Map<String, String> environment, String... words) {
        CommandLine posthouse = posthouse();
        String[] all = Configuration.expand(posthouse, environment, words);
        return (RelayCommand) posthouse.parseArgs(all).subcommand().commandSpec().userObject();
    }

    @Test
    void aFlagHidesAVariableAndThatTheFile() throws IOException {
        String file = file("relay:\n  site: of-file\n  name: of-file\n  lanes: 3\n");
        Map<String, String> environment = Map.of("POSTHOUSE_RELAY_SITE", "of-variable", "POSTHOUSE_RELAY_NAME", "of-variable");
        assertThat(words(environment, "relay", "--config", file, "--site=of-flag"))
                .containsExactlyInAnyOrder("relay", "--name=of-variable", "--lanes=3", "--config", file, "--site=of-flag");
    }

    @Test
    void theFileMayBeNamedByAVariable() throws IOException {
        assertThat(words(Map.of("POSTHOUSE_CONFIG", file("agent: {slots: 8}\n")), "agent", "--relay", "h:1")).contains("--slots=8");
    }

    @Test
    void listsMappingsAndSwitchesBecomeWords() throws IOException {
        String file = file("""
                relay:
                  site: a
                  peer: {site-b: "h:1", site-c: "h:2"}
                  ops-name: [one, two]
                  tunnel-group: true
                  private-console: true
                  unsafe-open-console: false
                """);
        assertThat(words(Map.of(), "relay", "--config=" + file)).containsExactly(
                "relay", "--site=a", "--peer=site-b=h:1", "--peer=site-c=h:2", "--ops-name=one", "--ops-name=two", "--tunnel-group", "--private-console",
                "--config=" + file);
        assertThat(words(Map.of("POSTHOUSE_RELAY_OPS_NAME", "one two"), "relay", "--site", "a")).contains("--ops-name=one", "--ops-name=two");
    }

    @Test
    void whatIsReadIsParsedAndShownWithItsSource() throws IOException {
        String file = file("relay:\n  peer: {site-b: \"h:1\"}\n  log-limit: 2g\n");
        RelayCommand relay = relay(Map.of("POSTHOUSE_RELAY_LANES", "3"), "relay", "--site", "a", "--config", file);
        OptionsInUse all = relay.inUse();
        assertThat(all.text(false).lines()).contains(
                "--site                 a",
                "--peer                 site-b=h:1  (" + file + ": relay.peer)",
                "--log-limit            2147483648  (" + file + ": relay.log-limit)",
                "--lanes                3  (POSTHOUSE_RELAY_LANES)",
                "--listen               127.0.0.1:7411  (default)");
        assertThat(all.text(true)).contains(
                "\"--lanes\":{\"given\":true,\"source\":\"POSTHOUSE_RELAY_LANES\",\"values\":[\"3\"]}",
                "\"--ops\":{\"given\":false,\"source\":\"default\",\"values\":[\"127.0.0.1:7413\"]}");
    }

    @Test
    void allThatIsMisspeltIsReportedTogetherWithTheNearest() throws IOException {
        String file = file("relay:\n  lnks: 127.0.0.1:1\n  private-console: perhaps\nrelais: {}\n");
        assertThat(problem(Map.of("POSTHOUSE_RELAY_SIET", "a"), "relay", "--config", file).split("; (?!the nearest)")).containsExactlyInAnyOrder(
                file + ": there is no section \"relais\"; the nearest is relay",
                file + ": relay.lnks: posthouse relay has no such option; the nearest is \"links\"",
                file + ": relay.private-console is \"perhaps\", expected true or false",
                "POSTHOUSE_RELAY_SIET: posthouse relay has no such variable; the nearest is POSTHOUSE_RELAY_SITE");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "'relay: [a'                 | line 1: ",
        "'relay: {site: a, site: b}' | Duplicate field 'site'",
        "'relay: x'                  | section \"relay\" is no mapping of options",
        "'- relay'                   | is no mapping; expected a section for each command",
        "'relay: {site: [a, b]}'     | relay.site: 2 values, expected one",
        "'relay: {peer: [[a]]}'      | relay.peer: array in a list or mapping, expected a word or a number"
    })
    void aFileThatSaysNothingIsRefusedWithThePlace(String yaml, String said) throws IOException {
        String file = file(yaml);
        assertThat(problem(Map.of(), "relay", "--config", file)).contains(file, said);
    }

    @Test
    void aFileThatIsMissingIsNamed() {
        assertThat(problem(Map.of(), "agent", "--config", folder.resolve("none.yaml").toString())).startsWith("the configuration ").contains("none.yaml");
    }

    @Test
    void variablesOfOtherUsesAreNoMistake() {
        Map<String, String> environment = Map.of(
                "POSTHOUSE_JAVA_HOME", "x", "POSTHOUSE_RELAY_FLAGS", "-Xmx1g", "POSTHOUSE_AGENT_SLOTS", "x", "POSTHOUSE_RELAY_SERVICE_HOST", "10.0.0.1",
                "POSTHOUSE_RELAY_PORT", "tcp://10.0.0.1:7411", "POSTHOUSE_RELAY_PORT_7411_TCP_ADDR", "10.0.0.1", "POSTHOUSE_LOCAL_SOCKETS", "off", "HOME", "/");
        assertThat(words(environment, "relay", "--site", "a")).containsExactly("relay", "--site", "a");
        assertThat(problem(Map.of("POSTHOUSE_JAVA_HOEM", "x"), "relay")).contains("the nearest is POSTHOUSE_JAVA_HOME");
    }

    @Test
    void otherCommandsAndHelpReadNoConfiguration() {
        Map<String, String> bad = Map.of("POSTHOUSE_RELAY_SIET", "a");
        assertThat(words(bad, "run", "-n", "2", "Main", "--config", "x")).containsExactly("run", "-n", "2", "Main", "--config", "x");
        assertThat(words(bad, "relay", "--help")).containsExactly("relay", "--help");
        assertThat(words(bad)).isEmpty();
    }

    /** A new variable must be known, or relays that are started with it would end. */
    @Test
    void everyVariableInTheCodeIsKnown() throws IOException {
        Pattern variable = Pattern.compile("\\b(POSTHOUSE_[A-Z0-9_]*[A-Z0-9])\\b(?!_)");
        Path root = Path.of(System.getProperty("basedir", ""), "..");
        for (String module : List.of("appliance/launch/src/main", "mpj-lite/src/main", "ops/kubernetes", "ops/systemd", "tunnel/src/main")) {
            try (Stream<Path> files = Files.walk(root.resolve(module))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    variable.matcher(Files.readString(file)).results().map(found -> found.group(1)).filter(name -> !name.equals("POSTHOUSE_CONFIG")).forEach(
                            name -> assertThat(words(Map.of(name, "x"), "agent", "--relay", "h:1")).as(name).containsExactly("agent", "--relay", "h:1"));
                }
            }
        }
    }
}
