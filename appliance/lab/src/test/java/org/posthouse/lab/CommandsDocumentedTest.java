package org.posthouse.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.cli.Posthouse;
import org.posthouse.cli.terminal.ExitCode;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** README.md and the pages of docs/ against what the command knows: options, and whole command lines; and what its help shows. */
class CommandsDocumentedTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", ""), "../..");
    private static final int COLUMNS = 80;

    /** Behind a blank, a backquote or a bracket; those of JVMs have other names for the same thing. */
    private static final Pattern OPTION = Pattern.compile("(?<![-\\w])--(?:\\[no-])?[a-z][a-z-]*");

    /** One whole command in a block of code, which may go on behind a backslash; or in words, if it names what it does. */
    private static final Pattern COMMAND = Pattern.compile("(?m)^ *(?:\\./)?posthouse ((?:[^\\n\\\\]|\\\\\\n)+)$");

    /** What a container is given; its image's name, {@code posthouse}, is that of the command, whose arguments follow. */
    private static final Pattern CONTAINER = Pattern.compile("docker (?:[^\\s`]+ )*(?=posthouse)|`--[^`]*` of `docker \\w+`");

    private static final Pattern WORD = Pattern.compile("(?:'[^']*'|[^' ])+");

    /** Options of example programs, which are not the command's. */
    private static final Set<String> OF_EXAMPLES = Set.of("--input", "--k", "--pattern", "--picture");

    /** Options of commands of the system that the pages show. */
    private static final Set<String> OF_THE_SYSTEM =
            Set.of("--build", "--context", "--create-home", "--exclusive", "--format", "--from-file", "--kill-on-bad-exit", "--namespace", "--no-kill",
                    "--no-shell", "--now",
                    "--ntasks-per-node", "--overlap", "--system");

    private static String documents() throws IOException {
        try (Stream<Path> pages = Stream.concat(Stream.of(ROOT.resolve("README.md")), Files.list(ROOT.resolve("docs")))) {
            StringBuilder text = new StringBuilder();
            for (Path page : pages.filter(page -> page.toString().endsWith(".md")).sorted().toList()) {
                text.append(Files.readString(page)).append('\n');
            }
            return CONTAINER.matcher(text).replaceAll("");
        }
    }

    /** The command and all below it that help shows. */
    private static List<CommandLine> commands() {
        List<CommandLine> all = new ArrayList<>(List.of(Posthouse.commandLine()));
        for (int i = 0; i < all.size(); i++) {
            all.get(i).getSubcommands().values().stream()
                    .filter(command -> !command.getCommandSpec().usageMessage().hidden())
                    .forEach(all::add);
        }
        return all;
    }

    private static Stream<OptionSpec> options(CommandLine command) {
        return command.getCommandSpec().options().stream().filter(option -> !option.hidden());
    }

    /** With {@code --[no-]x} as both of its names. */
    private static Stream<String> names(OptionSpec option) {
        Stream<String> names = Arrays.stream(option.names());
        return option.negatable()
                ? Stream.concat(names, Arrays.stream(option.names()).map(name -> name.replace("--", "--no-")))
                : names;
    }

    private static Set<String> namedIn(String text) {
        return OPTION.matcher(text).results()
                .map(MatchResult::group)
                .flatMap(name -> Stream.of(name.replace("[no-]", ""), name.replace("[no-]", "no-")))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void everyOptionIsInTheDocuments() throws IOException {
        Set<String> named = namedIn(documents());
        for (CommandLine command : commands()) {
            assertThat(options(command).filter(option -> names(option).noneMatch(name -> named.contains(name) || !name.startsWith("--"))))
                    .as("options of %s that no page names", command.getCommandSpec().qualifiedName())
                    .extracting(OptionSpec::longestName)
                    .isEmpty();
        }
    }

    @Test
    void everyOptionInTheDocumentsIsThere() throws IOException {
        Set<String> known = commands().stream()
                .flatMap(CommandsDocumentedTest::options)
                .flatMap(CommandsDocumentedTest::names)
                .collect(Collectors.toSet());
        Set<String> named = namedIn(documents());
        named.removeAll(OF_EXAMPLES);
        named.removeAll(OF_THE_SYSTEM);
        assertThat(named).isSubsetOf(known);
    }

    @Test
    void everyCommandLineInTheDocumentsIsOne() throws IOException {
        String helps = commands().stream()
                .flatMap(command -> Arrays.stream(command.getCommandSpec().usageMessage().footer()))
                .collect(Collectors.joining("\n"));
        List<String> lines = COMMAND.matcher(documents() + helps).results()
                .map(found -> found.group(1).replace("\\\n", " ").replaceFirst(" # .*", ""))
                .filter(line -> !line.contains("…"))
                .toList();
        assertThat(lines).hasSizeGreaterThan(50);
        for (String line : lines) {
            assertThatCode(() -> Posthouse.commandLine().parseArgs(words(line))).as(line).doesNotThrowAnyException();
        }
    }

    /** The words of a line, which are in single quotes if they have blanks. */
    private static String[] words(String line) {
        return WORD.matcher(line).results().map(found -> found.group().replace("'", "")).toArray(String[]::new);
    }

    @Test
    void everyCommandHasAnExampleOfItselfInItsHelp() {
        for (CommandLine command : commands()) {
            String name = command.getCommandSpec().qualifiedName();
            if (!command.getCommandName().equals("help")) {
                assertThat(command.getCommandSpec().usageMessage().footer())
                        .as("footer of %s", name)
                        .anyMatch(line -> line.startsWith("  ") && (line.strip() + " ").startsWith(name + " "));
            }
        }
    }

    /** Commands whose output is a list. */
    @ParameterizedTest
    @ValueSource(strings = {"status", "doctor", "nodes", "agents ls", "jobs", "jobs ls", "jobs show", "jobs output", "keys show", "log ls", "log show",
        "log verify", "users ls"})
    void whatIsListedCanBeHadAsJson(String words) {
        CommandLine command = Posthouse.commandLine();
        for (String word : words.split(" ")) {
            command = command.getSubcommands().get(word);
        }
        assertThat(command.getCommandSpec().findOption("--json")).as(words).isNotNull();
    }

    @Test
    void theTableOfExitStatusesIsThatOfTheCommands() throws IOException {
        String page = Files.readString(ROOT.resolve("docs/operations.md"));
        String expected = Stream.of(ExitCode.values()).map(code -> "| " + code.status() + " | " + code.meaning() + " |\n").collect(Collectors.joining());
        assertThat(page).contains("| status | meaning |\n|---|---|\n" + expected + "\n");
        assertThat(Stream.of(ExitCode.values()).map(ExitCode::status)).doesNotHaveDuplicates().isSorted();
    }

    @Test
    void everyCommandHasHelpThatCanBeCopied() {
        for (CommandLine command : commands()) {
            String name = command.getCommandSpec().qualifiedName();
            assertThat(command.getCommandSpec().mixinStandardHelpOptions() || command.getCommandName().equals("help"))
                    .as("%s --help", name)
                    .isTrue();
            assertThat(command.getCommandSpec().usageMessage().footer())
                    .as("examples of %s: what is longer is broken", name)
                    .allSatisfy(line -> assertThat(line.startsWith("  ") ? line : "").hasSizeLessThan(COLUMNS));
        }
    }
}
