package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.OptionsInUse;
import org.posthouse.ops.access.ProxyHeader;

/** What a relay makes of its options before it opens anything. */
class RelayCommandTest {
    /** A row of the table of its options: name and default. */
    private static final Pattern ROW = Pattern.compile("(?m)^\\| `(--[a-z-]+)[^|]*` \\| ([^|]+) \\|");

    private static RelayCommand relay(String... options) {
        String[] words = new String[options.length + 1];
        words[0] = "relay";
        System.arraycopy(options, 0, words, 1, options.length);
        return (RelayCommand) Posthouse.commandLine(words).parseArgs(words).subcommand().commandSpec().userObject();
    }

    @Test
    void aProxyIsTakenWithItsOperatorsAndItsUser() throws CommandFailure {
        ProxyHeader proxy = relay("--site", "a", "--ops-proxy", "127.0.0.1", "--ops-proxy-header", "X-User", "--ops-proxy-operators", "olga,pat",
                "--ops-proxy-user", "33").settings().ops().access().proxy().orElseThrow();
        assertThat(proxy.operators()).containsExactlyInAnyOrder("olga", "pat");
        assertThat(proxy.uid()).hasValue(33);
    }

    @Test
    void reportsAllInvalidOptionsTogether(@TempDir Path folder) {
        assertThatExceptionOfType(CommandFailure.class)
                .isThrownBy(() -> relay(
                        "--site", "A", "--links", "127.0.0.1:0", "--keys", folder.toString(), "--log-limit", "1", "--pipeline", "0,1,1", "--token-file",
                        folder.resolve("token").toString(), "--link-patience", "-1", "--busy-poll", "0", "--unsafe-open-console")
                        .settings())
                .satisfies(told -> assertThat(told.getMessage().split("; "))
                        .satisfiesExactly(
                                problem -> assertThat(problem).startsWith("--site \"A\", expected"),
                                problem -> assertThat(problem).startsWith("--link-patience -1, expected"),
                                problem -> assertThat(problem).startsWith("--log-limit is 1 bytes"),
                                problem -> assertThat(problem).contains("loops of --pipeline: 0"),
                                problem -> assertThat(problem).startsWith("the token file "),
                                problem -> assertThat(problem).contains("authority.pem is missing")));
    }

    /** They were told late: the group's at the second try, the folder's when the relay was started. */
    @Test
    void aFolderThatCannotBeMadeAndAGroupsAddressAreAmongTheProblems() {
        assertThatExceptionOfType(CommandFailure.class)
                .isThrownBy(() -> relay("--site", "A", "--data", "/proc/posthouse", "--group", "10.0.0.1:7414", "--member", "h:1").settings())
                .satisfies(told -> assertThat(told.getMessage().split("; "))
                        .anySatisfy(problem -> assertThat(problem).startsWith("--site \"A\", expected"))
                        .anySatisfy(problem -> assertThat(problem).startsWith("--data /proc/posthouse: it cannot be made"))
                        .anySatisfy(problem -> assertThat(problem).startsWith("group address '10.0.0.1' is not a loopback address"))
                        .anySatisfy(problem -> assertThat(problem).startsWith("group member 'h:1' is not")));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--ops 0.0.0.0:1 | add TLS (--ops-cert FILE --ops-cert-key FILE), and a login (--ops-users FILE;",
        "--ops 0.0.0.0:1 --private-console --data d | add TLS (--ops-cert FILE --ops-cert-key FILE), or --unsafe-open-console",
        "--ops 0.0.0.0:1 --private-console | and a login",
        "--ops 127.0.0.1:1 --ops-cert none | --ops-cert and --ops-cert-key are given together",
        "--ops 127.0.0.1:1 --ops-cert none --ops-cert-key none | --ops-cert: the console's file none does not exist",
        "--ops 0.0.0.0:1 --ops-proxy 10.0.0.1 --ops-proxy-header X-User | add TLS (--ops-cert FILE --ops-cert-key FILE), or --unsafe-open-console",
        "--ops 127.0.0.1:1 --ops-proxy 10.0.0.1 | --ops-proxy ADDRESS and --ops-proxy-header NAME are given together",
        "--ops 127.0.0.1:1 --ops-proxy-operators olga | --ops-proxy-operators and --ops-proxy-user only with them",
        "--ops 127.0.0.1:1 --ops-proxy proxy.example --ops-proxy-header X-User | --ops-proxy is \"proxy.example\", expected an address",
        "--ops 127.0.0.1:1 --ops-proxy ::1 --ops-proxy-header Cookie | --ops-proxy-header is \"Cookie\", expected a header of the proxy's own",
        "--ops 127.0.0.1:1 --ops-proxy ::1 --ops-proxy-header X-User --ops-proxy-operators a/b | --ops-proxy-operators has \"a/b\"",
        "--ops 127.0.0.1:1 --ops-users none | --ops-users: the file of users none does not exist; make it with: posthouse users add none NAME",
    })
    void aConsoleBeyondLoopbackNeedsTlsAndALogin(String options, String problem) {
        assertThatExceptionOfType(CommandFailure.class).isThrownBy(() -> relay(("--site a " + options).split(" ")).settings()).withMessageContaining(problem);
    }

    @ParameterizedTest
    @ValueSource(strings = {"--ops 0.0.0.0:1 --unsafe-open-console", "--ops [::1]:1", "--ops localhost:1"})
    void aConsoleThatIsMeantToBeOpenOrIsOnLoopbackNeedsNeither(String options) throws CommandFailure {
        assertThat(relay(("--site a " + options).split(" ")).settings().ops().tls()).isEmpty();
    }

    @Test
    void validOptionsReachTheSettings() throws CommandFailure {
        RelayCommand.Settings settings =
                relay("--site", "a", "--name", "2", "--listen", "127.0.0.1:1", "--data", "d", "--group", "127.0.0.1:2", "--ops", "127.0.0.1:3").settings();
        assertThat(settings.relay().relay()).isEqualTo("a/2");
        assertThat(settings.relay().logFolder()).contains(Path.of("d", "log-2"));
        assertThat(settings.group().port()).isEqualTo(2);
        assertThat(settings.ops().port()).isEqualTo(3);
    }

    @Test
    void printsEachOptionWithItsValue() {
        OptionsInUse all = relay("--site", "a", "--peer", "b=h:1", "--peer", "c=h:2", "--mode", "pooled").inUse();
        assertThat(all.text(false).lines())
                .contains("--site                 a", "--peer                 b=h:1", "--peer                 c=h:2", "--mode                 pooled",
                        "--listen               127.0.0.1:7411  (default)",
                        "--keys                 -  (default)")
                .noneMatch(line -> line.startsWith("--print-config") || line.startsWith("--help"));
        assertThat(all.text(true)).contains("\"--mode\":{\"given\":true,\"source\":\"flag\",\"values\":[\"pooled\"]}",
                "\"--peer\":{\"given\":true,\"source\":\"flag\",\"values\":[\"b=h:1\",\"c=h:2\"]}",
                "\"--ops\":{\"given\":false,\"source\":\"default\",\"values\":[\"127.0.0.1:7413\"]}");
    }

    /** Where the page has words in place of a value, they are about something else than one. */
    @Test
    void thePageHasTheDefaults() throws IOException {
        String page = Files.readString(Path.of(System.getProperty("basedir", ""), "..", "docs", "operations.md"));
        String table = page.substring(page.indexOf("| `--site NAME`"), page.indexOf("\n\n", page.indexOf("| `--site NAME`")));
        Map<String, OptionsInUse.InUse> known =
                relay("--site", "a").inUse().options().stream().collect(Collectors.toMap(OptionsInUse.InUse::name, Function.identity()));
        Map<String, String> told = ROW.matcher(table).results().collect(Collectors.toMap(row -> row.group(1), RelayCommandTest::defaultOf));
        told.values().removeIf(String::isEmpty);
        assertThat(told).hasSizeGreaterThan(20)
                .allSatisfy((name, value) -> assertThat(known.get(name).values()).as(name).isEqualTo(value.equals("none") ? List.of() : List.of(value)));
    }

    /** Empty if it is no value. */
    private static String defaultOf(MatchResult row) {
        String cell = row.group(2).strip();
        return cell.matches("none|\\d+|`[^`]+`") && !cell.startsWith("`--") ? cell.replace("`", "") : "";
    }
}
