package org.posthouse.cli.option;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a count of bytes such as 65536, 64m or 20g. */
public final class ByteCount implements ITypeConverter<Long> {
    private static final Pattern WORDS = Pattern.compile("(\\d{1,12})([kmg]?)");
    private static final String UNITS = "kmg";
    private static final int KILO_BITS = 10;

    @Override
    public Long convert(String text) {
        Matcher words = WORDS.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!words.matches()) {
            throw new TypeConversionException("\"" + text + "\" is no number of bytes such as 65536, 64m or 20g");
        }
        int unit = words.group(2).isEmpty() ? 0 : 1 + UNITS.indexOf(words.group(2));
        long count = Long.parseLong(words.group(1));
        long most = Long.MAX_VALUE >> KILO_BITS * unit;
        if (count > most) {
            throw new TypeConversionException("\"" + text + "\" is more than " + most + words.group(2));
        }
        return count << KILO_BITS * unit;
    }
}
