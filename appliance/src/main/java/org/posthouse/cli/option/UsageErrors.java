package org.posthouse.cli.option;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** The words of a usage error: the option as the user wrote it, the word, and what is expected. Stateless. */
public final class UsageErrors {
    private UsageErrors() {}

    /**
     * The error as one sentence.
     *
     * @param words the command line
     */
    public static String describe(ParameterException error, List<String> words) {
        ArgSpec option = error.getArgSpec();
        String word = error.getValue();
        if (option == null || word == null) {
            return error.getMessage();
        }
        String name = name(option, words);
        if (option.isOption() && option.isMultiValue() && error.getMessage().contains("KEY=VALUE")) {
            return name + " " + word + ": expected " + option.paramLabel();
        }
        if (!(error.getCause() instanceof TypeConversionException refused)) {
            return error.getMessage();
        }
        String reason = choices(option).orElse(refused.getMessage());
        return name + (word.isEmpty() || reason.contains('"' + word + '"') ? ": " : " " + word + ": ") + reason;
    }

    /** Of an option with a few words to choose from: which. */
    private static Optional<String> choices(ArgSpec option) {
        Class<?> type = option.isMultiValue() ? option.auxiliaryTypes()[0] : option.type();
        if (!type.isEnum() || option.converters().length > 0) {
            return Optional.empty();
        }
        List<String> all = Stream.of(type.getEnumConstants()).map(each -> each.toString().toLowerCase(Locale.ROOT)).toList();
        String last = all.getLast();
        return Optional.of("expected " + (all.size() == 1 ? last : String.join(", ", all.subList(0, all.size() - 1)) + " or " + last));
    }

    /** Of its names, the one that was used; of a parameter, its label. */
    private static String name(ArgSpec option, List<String> words) {
        if (!(option instanceof OptionSpec named)) {
            return option.paramLabel();
        }
        return words.stream()
                .flatMap(word -> Stream.of(named.names()).filter(name -> word.equals(name) || word.startsWith(name + "=")))
                .findFirst()
                .orElse(named.longestName());
    }
}
