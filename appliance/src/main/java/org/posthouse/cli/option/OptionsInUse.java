package org.posthouse.cli.option;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.posthouse.cli.config.Configuration;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The value of each option of a command, given or by default, as it may be written on a command line. */
public record OptionsInUse(List<InUse> options) {
    /**
     * One option.
     *
     * @param values none for a switch that is off, and for what has no value unless it is given; several of what may be repeated
     * @param source {@value #FLAG}, {@value #DEFAULT}, or the variable or the key of a file
     */
    public record InUse(String name, List<String> values, String source) {
        boolean given() {
            return !source.equals(DEFAULT);
        }
    }

    private static final String FLAG = "flag";
    private static final String DEFAULT = "default";

    /** Of a command that has been parsed. Without those that help does not show, help itself, and {@code others}. */
    public static OptionsInUse of(CommandSpec command, Configuration configuration, String... others) {
        Set<String> left = Set.of(others);
        return new OptionsInUse(command.options().stream()
                .filter(option -> !option.hidden() && !option.usageHelp() && !option.versionHelp() && !left.contains(option.longestName()))
                .map(option -> new InUse(option.longestName(), values(option), source(option, command, configuration)))
                .toList());
    }

    private static String source(OptionSpec option, CommandSpec command, Configuration configuration) {
        return configuration.source(option.longestName())
                .orElse(isGiven(option, command.commandLine().getParseResult().originalArgs()) ? FLAG : DEFAULT);
    }

    /** By the words: of one that reads its parameters itself picocli keeps no record. */
    private static boolean isGiven(OptionSpec option, List<String> words) {
        return words.stream().anyMatch(word -> word.equals(option.longestName()) || word.startsWith(option.longestName() + "="));
    }

    private static List<String> values(OptionSpec option) {
        Object value = option.getValue();
        return switch (value) {
            case null -> List.of();
            case Boolean isOn -> isOn ? List.of("true") : List.of();
            case Enum<?> word -> List.of(word.name().toLowerCase(Locale.ROOT));
            case Collection<?> all -> all.stream().map(Object::toString).toList();
            case Map<?, ?> all -> all.entrySet().stream().map(entry -> entry.getKey() + "=" + entry.getValue()).toList();
            default -> List.of(value.toString());
        };
    }

    /** A line for each value, or one object with the options' names as keys. */
    public String text(boolean asJson) {
        if (asJson) {
            ObjectNode all = new ObjectMapper().createObjectNode();
            for (InUse option : options) {
                ArrayNode values = all.putObject(option.name()).put("given", option.given()).put("source", option.source()).putArray("values");
                option.values().forEach(values::add);
            }
            return all.toString();
        }
        return options.stream().flatMap(OptionsInUse::lines).collect(Collectors.joining("\n"));
    }

    private static Stream<String> lines(InUse option) {
        List<String> values = option.values().isEmpty() ? List.of("-") : option.values();
        return values.stream().map(
                value -> String.format(Locale.ROOT, "%-22s %s%s", option.name(), value, option.source().equals(FLAG) ? "" : "  (" + option.source() + ")"));
    }
}
