package org.posthouse.cli.config;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/**
 * What options a command has from {@code POSTHOUSE_} variables and from its YAML file. An option on the command line hides
 * both, a variable hides the file; an option that may be repeated is taken from one of them as a whole.
 */
public final class Configuration {
    /** Commands that read a configuration. All their words are options. */
    public static final List<String> COMMANDS = List.of("relay", "agent");

    static final Configuration NONE = new Configuration(List.of());

    private static final String FILE_VARIABLE = "POSTHOUSE_CONFIG";
    private static final String FILE_OPTION = "--config";

    private final List<Setting> settings;

    private Configuration(List<Setting> settings) {
        this.settings = settings;
    }

    /**
     * The words with those of the configuration behind the command's name; the same words of a command without one.
     *
     * @throws ParameterException with all problems of the configuration
     */
    public static String[] expand(CommandLine posthouse, Map<String, String> environment, String... words) {
        CommandLine command = words.length == 0 || !COMMANDS.contains(words[0]) ? null : posthouse.getSubcommands().get(words[0]);
        if (command == null || asksForHelp(words)) {
            return words;
        }
        Configuration found = of(command, environment, List.of(words).subList(1, words.length));
        command.getMixins().values().stream()
                .filter(ConfigOption.class::isInstance)
                .forEach(option -> ((ConfigOption) option).use(found));
        return Stream.of(Stream.of(words[0]), found.settings.stream().map(Setting::word), Stream.of(words).skip(1)).flatMap(each -> each)
                .toArray(String[]::new);
    }

    private static boolean asksForHelp(String... words) {
        return Stream.of(words).anyMatch(word -> word.equals("--help") || word.equals("-h") || word.equals("--version") || word.equals("-V"));
    }

    private static Configuration of(CommandLine command, Map<String, String> environment, List<String> words) {
        CommandSpec spec = command.getCommandSpec();
        List<String> problems = new ArrayList<>();
        Map<String, List<Setting>> chosen = new LinkedHashMap<>();
        file(words, environment).ifPresent(file -> choose(chosen, FileSettings.read(spec, file, problems)));
        choose(chosen, EnvironmentSettings.read(spec, environment, problems));
        if (!problems.isEmpty()) {
            throw new ParameterException(command, String.join("; ", problems));
        }
        spec.options().stream().filter(option -> isGiven(option, words)).forEach(option -> chosen.remove(option.longestName()));
        return new Configuration(chosen.values().stream().flatMap(List::stream).toList());
    }

    /** Those of {@code next} hide others of the same option. */
    private static void choose(Map<String, List<Setting>> chosen, List<Setting> next) {
        next.forEach(setting -> chosen.remove(setting.option()));
        next.forEach(setting -> chosen.computeIfAbsent(setting.option(), option -> new ArrayList<>()).add(setting));
    }

    private static Optional<Path> file(List<String> words, Map<String, String> environment) {
        for (int i = 0; i < words.size(); i++) {
            if (words.get(i).startsWith(FILE_OPTION + "=")) {
                return Optional.of(Path.of(words.get(i).substring(FILE_OPTION.length() + 1)));
            }
            if (words.get(i).equals(FILE_OPTION) && i + 1 < words.size()) {
                return Optional.of(Path.of(words.get(i + 1)));
            }
        }
        return Optional.ofNullable(environment.get(FILE_VARIABLE)).filter(name -> !name.isEmpty()).map(Path::of);
    }

    private static boolean isGiven(OptionSpec option, List<String> words) {
        return Stream.of(option.names()).anyMatch(name -> words.stream().anyMatch(word -> word.equals(name) || word.startsWith(name + "=")));
    }

    /** Where the value of an option stands: a variable, or a key of a file. Empty if it is on the command line, or the default. */
    public Optional<String> source(String option) {
        return settings.stream().filter(setting -> setting.option().equals(option)).map(Setting::source).findFirst();
    }
}
