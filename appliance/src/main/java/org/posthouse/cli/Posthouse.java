package org.posthouse.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Stream;
import org.posthouse.cli.config.Configuration;
import org.posthouse.cli.doctor.DoctorCommand;
import org.posthouse.cli.jobs.JobsCommand;
import org.posthouse.cli.log.LogCommand;
import org.posthouse.cli.names.NamesCommand;
import org.posthouse.cli.option.CommandFailure;
import org.posthouse.cli.option.HelpSections;
import org.posthouse.cli.option.UsageErrors;
import org.posthouse.cli.option.WholeNumber;
import org.posthouse.cli.plan.PlanCommand;
import org.posthouse.cli.terminal.ExitCode;
import org.posthouse.cli.top.TopCommand;
import org.posthouse.cli.users.UsersCommand;
import org.posthouse.relay.ProductVersion;
import org.posthouse.relay.host.VertxPrestart;
import org.posthouse.relay.threads.FatalErrorExit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code posthouse}. */
@Command(
        name = "posthouse",
        description = "Joins clusters into one message-passing machine for Java MPI programs.",
        mixinStandardHelpOptions = true,
        versionProvider = Posthouse.BuildVersion.class,
        synopsisSubcommandLabel = "COMMAND",
        footer = {"", "Examples:", "  posthouse run -n 4 example:pi", "  posthouse demo", "  posthouse help run"})
public final class Posthouse {
    private static final List<String> VERSION = List.of("--version", "-V");

    private static final List<Class<?>> COMMANDS = List.of(
            DemoCommand.class,
            InitCommand.class,
            RunCommand.class,
            ResumeCommand.class,
            RelayCommand.class,
            StatusCommand.class,
            TopCommand.class,
            DoctorCommand.class,
            ModeCommand.class,
            DrainCommand.class,
            AgentCommand.class,
            AgentsCommand.class,
            JoinCommand.class,
            JobsCommand.class,
            NodesCommand.class,
            NamesCommand.class,
            PlanCommand.class,
            KeysCommand.class,
            UsersCommand.class,
            LogCommand.class,
            RehearseCommand.class);

    /** Commands of the lab, which is part of a checkout and not of an installation. */
    private static final Set<String> OF_LAB = Set.of("bench", "chaos");

    private Posthouse() {}

    /** The version that the build wrote. */
    static final class BuildVersion implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {text()};
        }

        private static String text() {
            return "posthouse " + ProductVersion.text();
        }
    }

    public static void main(String[] args) {
        int status = 0;
        if (args.length == 1 && VERSION.contains(args[0])) {
            System.out.println(BuildVersion.text()); // To read what all commands take would be most of it.
        } else {
            FatalErrorExit.endsTheProcess();
            if (startsRelay(args)) {
                VertxPrestart.begin();
            }
            status = execute(args);
        }
        System.exit(status == 0 && System.out.checkError() ? ExitCode.FAILED.status() : status); // Nobody has all of what it was to print.
    }

    /** With what variables and a file say in front of the words of a command that reads them. */
    private static int execute(String... words) {
        CommandLine posthouse = commandLine(words);
        try {
            return posthouse.execute(Configuration.expand(posthouse, System.getenv(), words));
        } catch (ParameterException e) {
            return misused(e, words);
        }
    }

    /** Whether these words most likely start a relay in this process. */
    static boolean startsRelay(String... words) {
        return words.length > 3 && words[0].equals("run")
                && Stream.of(words)
                        .noneMatch(word -> word.equals("--relay") || word.startsWith("--relay=") || word.startsWith("--busy-poll") || word.equals("--help"));
    }

    /** To read these words with. Of a command that they begin with it is the only one: to read what all of them take is most of a command's start. */
    public static CommandLine commandLine(String... words) {
        CommandLine posthouse = new CommandLine(new Posthouse());
        commands(words).forEach(posthouse::addSubcommand);
        posthouse.setCaseInsensitiveEnumValuesAllowed(true)
                .setExpandAtFiles(false)
                .setExecutionStrategy(Posthouse::execute)
                .setExecutionExceptionHandler(Posthouse::failed)
                .setParameterExceptionHandler(Posthouse::misused)
                .registerConverter(Path.class, Posthouse::path)
                .registerConverter(int.class, new WholeNumber())
                .registerConverter(Integer.class, new WholeNumber())
                .registerConverter(long.class, new WholeNumber.Long())
                .registerConverter(Long.class, new WholeNumber.Long());
        // Words behind the program's class belong to the program, even if they look like options.
        Optional.ofNullable(posthouse.getSubcommands().get("run")).ifPresent(run -> {
            run.setStopAtPositional(true);
            HelpSections.RUN.install(run);
        });
        Optional.ofNullable(posthouse.getSubcommands().get("relay")).ifPresent(HelpSections.RELAY::install);
        return posthouse;
    }

    private static List<Class<?>> commands(String... words) {
        List<Class<?>> named = named(COMMANDS, words);
        if (!named.isEmpty()) {
            return named;
        }
        List<Class<?>> provided = new ArrayList<>();
        ServiceLoader.load(CommandProvider.class).forEach(provider -> provided.addAll(provider.commands()));
        named = named(provided, words);
        return named.isEmpty() ? Stream.of(COMMANDS.stream(), provided.stream(), aboutCommands()).flatMap(each -> each).toList() : named;
    }

    private static List<Class<?>> named(List<Class<?>> commands, String... words) {
        return commands.stream().filter(command -> words.length > 0 && words[0].equals(command.getAnnotation(Command.class).name())).toList();
    }

    /** They speak of all others. */
    private static Stream<Class<?>> aboutCommands() {
        return Stream.of(CompletionCommand.class, CommandLine.HelpCommand.class);
    }

    /** As picocli does, but for a request for help: what it does not know stays an error, such as the command to get help with. */
    private static int execute(ParseResult parsed) {
        for (ParseResult command = parsed; command != null; command = command.subcommand()) {
            if (!command.unmatched().isEmpty()) {
                throw new UnmatchedArgumentException(command.commandSpec().commandLine(), command.unmatched());
            }
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    /** Refuses an empty path, such as an unset shell variable leaves: it would be the current folder. */
    private static Path path(String word) {
        if (word.isEmpty()) {
            throw new TypeConversionException("it is empty, expected the name of a file or folder");
        }
        return Path.of(word);
    }

    /** Prints the error and the command for help. A list of all options behind it would make the error scroll away. */
    private static int misused(ParameterException cause, String[] words) {
        String name = cause.getCommandLine().getCommandSpec().qualifiedName();
        PrintWriter err = cause.getCommandLine().getErr();
        err.println(name + ": " + said(cause, List.of(words)));
        UnmatchedArgumentException.printSuggestions(cause, err);
        err.println("see " + name + " --help");
        return ExitCode.USAGE.status();
    }

    /** The message of a usage error. For an option of another launcher it names the one to use here. */
    private static String said(ParameterException cause, List<String> words) {
        if (cause instanceof UnmatchedArgumentException unknown && cause.getCommandLine().getParent() == null
                && OF_LAB.contains(unknown.getUnmatched().getFirst())) {
            return unknown.getUnmatched().getFirst() + " is not installed here: it comes with a checkout that has been built (docs/bench.md)";
        }
        boolean startsJvms = cause.getCommandLine().getCommandSpec().findOption("--jvm") != null;
        String unmatched = startsJvms && cause instanceof UnmatchedArgumentException unknown ? unknown.getUnmatched().getFirst() : "";
        if (unmatched.equals("-jar")) {
            return "-jar is java's: say -cp x.jar and its main class here";
        }
        return unmatched.startsWith("-X") || unmatched.startsWith("-D") ? unmatched + " is java's: say --jvm " + unmatched + " here"
                : UsageErrors.describe(cause, words);
    }

    /** One clear line for what a user can mend; the whole story for what only we can. */
    private static int failed(Exception cause, CommandLine command, ParseResult parsed) {
        String name = command.getCommandSpec().qualifiedName();
        if (cause instanceof CommandFailure failure) {
            System.err.println(name + ": " + failure.getMessage());
            return ExitCode.FAILED.status();
        }
        System.err.println(name + ": a fault in posthouse; please report it with what follows");
        cause.printStackTrace();
        return ExitCode.FAILED.status();
    }
}
