package org.posthouse.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Set;
import java.util.List;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What the command makes of its words before any of its commands runs. */
final class PosthouseTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int execute(String line) {
        return Posthouse.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(line.split(" "));
    }

    @ParameterizedTest
    @CsvSource({
        "fly,                   posthouse,            fly",
        "fly --help,            posthouse,            fly",
        "--help fly,            posthouse,            fly",
        "status fly --help,     posthouse status,     fly",
        "keys fly --help,       posthouse keys,       fly",
        "keys show --fly --help, posthouse keys show, --fly"
    })
    void aWordThatIsNotKnownIsAnErrorAlsoBesideHelp(String line, String command, String word) {
        assertThat(execute(line)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).startsWith(command + ": ").contains("'" + word + "'").endsWith("see " + command + " --help\n");
        assertThat(out.toString()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"bench pingpong", "chaos --help"})
    void aCommandOfTheLabIsMissedByNameWhereThereIsNoLab(String line) {
        assertThat(execute(line)).isEqualTo(CommandLine.ExitCode.USAGE);
        String word = line.substring(0, line.indexOf(' '));
        assertThat(err.toString()).startsWith("posthouse: " + word + " is not installed here: it comes with a checkout");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "status --help", "help status", "keys show --help", "run --help", "run -n 2 --help"})
    void helpIsPrintedWhereItIsAskedFor(String line) {
        assertThat(execute(line)).isZero();
        assertThat(out.toString()).contains("Usage: posthouse");
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void npIsTheNumberOfRanksAsInOtherStarters() {
        assertThat(execute("run -np four -cp pi.jar Pi")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("posthouse run: -np four: expected a whole number of 1 or more\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "run -n=two x                 | -n two: expected a whole number of 1 or more",
        "run --ranks 0 x              | --ranks 0: expected a whole number of 1 or more",
        "run -n 2 --silence -1 x      | --silence -1: expected a whole number of 0 or more",
        "run -n 2 --lanes x y         | --lanes x: expected a whole number",
        "run -n 99999999999 y         | -n 99999999999: expected a whole number of 1 or more, at most 2147483647",
        "log show --data d --from x   | --from x: expected a whole number",
        "run -n 2 --durability disk x | --durability disk: expected none, process or host",
        "run -n 2 --where x y         | --where x: expected LABEL=VALUE",
        "run -n 2 --on-failure resume x | --on-failure: \"resume\" is no mode, expected one of: restart; abort; blank; shrink; rebuild; restart,blank; restart,shrink",
        "mode fast                    | NAME fast: expected multiplexed, pooled, pipeline or threaded",
        "status --ops h               | --ops: \"h\" has no port number, expected HOST:PORT"
    })
    void aValueIsRefusedWithTheOptionAsItWasWrittenAndWhatIsExpected(String line, String said) {
        assertThat(execute(line)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString().lines()).first().asString().endsWith(": " + said);
    }

    @Test
    void moreSitesThanRanksAreRefusedBeforeAnythingIsStarted() {
        assertThat(execute("run -n 4 --sites 5 example:pi")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).isEqualTo("posthouse run: -n 4 and --sites 5: each site needs a rank, expected at most 4 sites\nsee posthouse run --help\n");
    }

    @ParameterizedTest
    @CsvSource({
        "run -n 4 -jar pi.jar, -jar is java's: say -cp x.jar and its main class here",
        "run -n 4 -Xmx512m -cp pi.jar Pi, -Xmx512m is java's: say --jvm -Xmx512m here",
        "run -n 4 -Dkey=value Pi, -Dkey=value is java's: say --jvm -Dkey=value here",
        "status -Dkey=value, Unknown option: '-Dkey=value'"
    })
    void javaOptionsAreRefusedWithTheOptionToUseInstead(String line, String said) {
        assertThat(execute(line)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString().lines()).first().asString().endsWith(": " + said);
    }

    @ParameterizedTest
    @CsvSource({
        "--peer site-b=h:1 --peer site-b/1=h:2, --peer site-b/1=h:2: site-b=h:1 is given already",
        "--via site-b/web=l:1 --via site-b/1/web=l:2, --via site-b/1/web=l:2: site-b/web=l:1 is given already",
        "--forward web=h:1 --forward web=h:1, --forward web=h:1: web=h:1 is given already",
        "--loopback site-b/2=127.0.0.2 --loopback site-b/2=127.0.0.3, --loopback site-b/2=127.0.0.3: site-b/2=127.0.0.2 is given already",
        "--peer site-b, '--peer site-b, expected RELAY=HOST:PORT'"
    })
    void aNameThatIsGivenTwiceIsAnError(String line, String what) {
        assertThat(execute("relay --site site-a " + line)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).startsWith("posthouse relay: " + what);
        assertThat(execute("relay --site site-a --peer site-b=h:1 --peer site-b/2=h:1 --via site-b/web=l:1 --via site-b/2/web=l:2")).isEqualTo(1);
    }

    /** Which is how it is read: what the others take costs its start nothing. */
    @Test
    void subcommandParsedAloneHasSameUsageAsAmongAll() {
        Posthouse.commandLine().getSubcommands().forEach((name, amongAll) -> {
            CommandLine alone = Posthouse.commandLine(name, "--help");
            assertThat(alone.getSubcommands().get(name).getUsageMessage()).isEqualTo(amongAll.getUsageMessage());
            assertThat(alone.getSubcommands().get(name).isStopAtPositional()).as(name).isEqualTo(amongAll.isStopAtPositional());
            boolean isAboutOthers = name.equals("help") || name.equals("completion");
            assertThat(alone.getSubcommands().size() == 1).as(name).isNotEqualTo(isAboutOthers);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"relay --site site-a", "status", "mode pooled", "drain"})
    void aRelaysConsoleIsWhereItIsLookedFor(String line) {
        CommandLine.ParseResult read = Posthouse.commandLine().parseArgs(line.split(" ")).subcommand();
        assertThat(read.commandSpec().findOption("--ops").<Object>getValue()).hasToString("127.0.0.1:7413");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b:7413", "[::1:7413", "::1]:7413", "[]:7413", "a/b:7413"})
    void addressWithMalformedHostIsRefused(String address) {
        String[] line = {"status", "--ops", address};
        assertThat(Posthouse.commandLine().setErr(new PrintWriter(err, true)).execute(line)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("\"" + address + "\" is no address, expected HOST:PORT");
    }

    @Test
    void aJobHasNoMoreRanksThanOneOpeningMayHave() {
        assertThat(execute("run -n 16385 --relay 127.0.0.1:1 example:pi")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).startsWith("posthouse run: -n 16385, expected 1 to 16384 ranks");
    }

    @Test
    void optionsOfRelaysInsideTheProcessAreRefusedWithOtherRelays() {
        assertThat(execute("run -n 2 --relay 127.0.0.1:1 --mode pooled --loops 3 --pipeline 1,1,1 --lanes 2 --log-limit 1g --durability process example:pi"))
                .isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString())
                .startsWith(
                        "posthouse run: --mode, --loops, --pipeline, --lanes, --log-limit: of relays inside this process; with --relay, posthouse relay has");
    }

    /** As of a shell's variable that is not set: it would be the current folder. */
    @ParameterizedTest
    @ValueSource(strings = {"keys init $DIR", "keys show $DIR", "keys revoke site-a --authority $DIR", "relay --site site-a --data $DIR", "log ls --data $DIR",
        "run -n 1 --folder $DIR example:pi"})
    void anEmptyWordIsNoFolder(String line) {
        String[] words = line.replace("$DIR", "").split(" ", -1);
        assertThat(Posthouse.commandLine().setErr(new PrintWriter(err, true)).execute(words)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("it is empty, expected the name of a file or folder");
    }

    @ParameterizedTest
    @ValueSource(strings = {"log show --data d --count -1", "log show --data d --rank -1", "keys show d --days -5"})
    void aNumberBelowZeroIsRefused(String line) {
        assertThat(execute(line)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains(", expected 0 or more");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mode pooled --pipeline 1,1,1", "mode pipeline --loops 2", "mode threaded --pipeline 1,1,1"})
    void optionsOfAnotherModeAreRefused(String line) {
        assertThat(execute(line)).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("is of mode p");
    }

    @Test
    void theVersionIsPrinted() {
        assertThat(execute("--version")).isZero();
        assertThat(out.toString()).startsWith("posthouse ");
    }

    /** A Vert.x is begun for it while its words are read; a wrong guess costs time and nothing else. */
    @Test
    void aJobWithoutARelayElsewhereStartsOne() {
        assertThat(Posthouse.startsRelay("run", "-n", "2", "Main")).isTrue();
        assertThat(Posthouse.startsRelay("run", "-n", "2", "--relays-per-site", "2", "Main")).isTrue();
        assertThat(Posthouse.startsRelay("run", "-n", "2", "--relay", "127.0.0.1:7411", "Main")).isFalse();
        assertThat(Posthouse.startsRelay("run", "-n", "2", "--relay=127.0.0.1:7411", "Main")).isFalse();
        assertThat(Posthouse.startsRelay("run", "--help")).isFalse();
        assertThat(Posthouse.startsRelay("status", "--relay", "a", "b")).isFalse();
        assertThat(Posthouse.startsRelay()).isFalse();
    }

    /** Scripts read what people read. */
    @Test
    void whateverListsOrShowsHasJson() {
        List<String> without = new ArrayList<>();
        collectListings(Posthouse.commandLine(), without);
        assertThat(without).isEmpty();
    }

    private static void collectListings(CommandLine command, List<String> without) {
        boolean lists = Set.of("ls", "list", "show", "status", "nodes", "top", "doctor", "jobs").contains(command.getCommandName());
        if (lists && command.getCommandSpec().findOption("--json") == null) {
            without.add(command.getCommandSpec().qualifiedName());
        }
        command.getSubcommands().values().forEach(each -> collectListings(each, without));
    }
}
