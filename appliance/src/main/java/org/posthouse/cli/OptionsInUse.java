package org.posthouse.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** What each option of a command is, given or by default, as it may be written on a command line. */
record OptionsInUse(List<InUse> options) {
    /** @param value empty for a switch that is off, and for what has no value unless it is given */
    record InUse(String name, String value, boolean given) {}

    /** Of a command that has been parsed. Without those that help does not show, help itself, and {@code others}. */
    static OptionsInUse of(CommandSpec command, String... others) {
        Set<String> left = Set.of(others);
        return new OptionsInUse(command.options().stream()
                .filter(option -> !option.hidden() && !option.usageHelp() && !option.versionHelp() && !left.contains(option.longestName()))
                .map(option -> new InUse(option.longestName(), text(option), isGiven(option, command.commandLine().getParseResult().originalArgs())))
                .toList());
    }

    /** By the words: of one that reads its parameters itself picocli keeps no record. */
    private static boolean isGiven(OptionSpec option, List<String> words) {
        return words.stream().anyMatch(word -> word.equals(option.longestName()) || word.startsWith(option.longestName() + "="));
    }

    private static String text(OptionSpec option) {
        Object value = option.getValue();
        return switch (value) {
            case null -> "";
            case Boolean isOn -> isOn ? "true" : "";
            case Enum<?> word -> word.name().toLowerCase(Locale.ROOT);
            case Collection<?> all -> all.stream().map(Object::toString).collect(Collectors.joining(" "));
            case Map<?, ?> all -> all.entrySet().stream().map(entry -> entry.getKey() + "=" + entry.getValue()).collect(Collectors.joining(" "));
            default -> value.toString();
        };
    }

    /** A line each, or one object with the options' names as keys. */
    String text(boolean asJson) {
        if (asJson) {
            ObjectNode all = new ObjectMapper().createObjectNode();
            options.forEach(option -> all.putObject(option.name()).put("value", option.value()).put("given", option.given()));
            return all.toString();
        }
        return options.stream()
                .map(option -> String.format(Locale.ROOT, "%-22s %s%s", option.name(), option.value().isEmpty() ? "-" : option.value(),
                        option.given() ? "" : "  (default)"))
                .collect(Collectors.joining("\n"));
    }
}
