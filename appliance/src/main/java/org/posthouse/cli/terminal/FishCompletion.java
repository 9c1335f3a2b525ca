package org.posthouse.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The completion script of fish for a command, from picocli's model, which knows those of bash and zsh only. Stateless. */
public final class FishCompletion {
    private FishCompletion() {}

    /** The script: a {@code complete} for each command, each option, and each parameter with a few words to choose from. */
    public static String script(CommandLine root) {
        StringBuilder script = new StringBuilder("# Completion of " + root.getCommandName() + " for fish.\n");
        script.append("complete -c ").append(root.getCommandName()).append(" -e\n");
        add(script, root, List.of());
        return script.toString();
    }

    private static void add(StringBuilder script, CommandLine command, List<String> path) {
        String start = "complete -c " + command.getCommandSpec().root().name() + " -n " + quoted(condition(command, path));
        for (CommandLine each : command.getSubcommands().values()) {
            if (!each.getCommandSpec().usageMessage().hidden()) {
                script.append(start).append(" -f -a ").append(each.getCommandName()).append(description(each.getCommandSpec())).append('\n');
            }
        }
        for (OptionSpec option : command.getCommandSpec().options()) {
            if (!option.hidden()) {
                script.append(start).append(names(option)).append(values(option)).append(description(option.description())).append('\n');
            }
        }
        for (PositionalParamSpec parameter : command.getCommandSpec().positionalParameters()) {
            String words = candidates(parameter);
            if (!words.isEmpty()) {
                script.append(start).append(" -f -a ").append(quoted(words)).append('\n');
            }
        }
        command.getSubcommands().forEach((name, each) -> {
            List<String> below = new ArrayList<>(path);
            below.add(name);
            add(script, each, below);
        });
    }

    /** That the words so far name this command, and none below it. */
    private static String condition(CommandLine command, List<String> path) {
        List<String> parts = new ArrayList<>(path.stream().map(word -> "__fish_seen_subcommand_from " + word).toList());
        if (path.isEmpty()) {
            parts.add("__fish_use_subcommand");
        } else if (!command.getSubcommands().isEmpty()) {
            parts.add("not __fish_seen_subcommand_from " + String.join(" ", command.getSubcommands().keySet()));
        }
        return String.join("; and ", parts);
    }

    private static String names(OptionSpec option) {
        StringBuilder names = new StringBuilder();
        for (String name : option.names()) {
            String kind = name.startsWith("--") ? " -l " : name.length() == 2 ? " -s " : " -o ";
            names.append(kind).append(name.replaceFirst("^--?", ""));
        }
        return names.toString();
    }

    private static String values(OptionSpec option) {
        if (option.arity().max() == 0) {
            return "";
        }
        String words = candidates(option);
        boolean isFile = option.typeInfo().getClassName().equals("java.nio.file.Path");
        return words.isEmpty() ? isFile ? " -r -F" : " -x" : " -x -a " + quoted(words);
    }

    private static String candidates(ArgSpec argument) {
        Iterable<String> words = argument.completionCandidates();
        return words == null ? "" : String.join(" ", words).toLowerCase(Locale.ROOT);
    }

    private static String description(CommandSpec command) {
        return description(command.usageMessage().description());
    }

    /** Its first sentence. */
    private static String description(String... lines) {
        String text = lines.length == 0 ? "" : lines[0].replaceFirst("(?<=[a-z)])[.:;] .*", "").replaceFirst("\\.$", "");
        return text.isEmpty() || text.contains("${") ? "" : " -d " + quoted(text);
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
