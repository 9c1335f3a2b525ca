package org.posthouse.lab;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.posthouse.relay.config.RelayConfig.Mode;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Modes as people write them: {@code multiplexed,pooled}, or all that this build has.
 *
 * @param modes in the order given, each once
 */
record ModeList(List<Mode> modes) {
    static final String EVERY = "all";

    /** Reads what {@code --modes} names. */
    static final class Converter implements ITypeConverter<ModeList> {
        @Override
        public ModeList convert(String text) {
            List<String> words = List.of(text.split(",", -1));
            return new ModeList(words.stream().flatMap(ModeList::modes).distinct().toList());
        }
    }

    private static Stream<Mode> modes(String word) {
        return word.equals(EVERY) ? Arrays.stream(Mode.values()) : Stream.of(mode(word));
    }

    private static Mode mode(String word) {
        return Arrays.stream(Mode.values())
                .filter(mode -> mode.word().equals(word.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("\"" + word + "\" is no mode, expected " + EVERY + " or "
                        + Arrays.stream(Mode.values()).map(Mode::word).collect(Collectors.joining(", "))));
    }
}
