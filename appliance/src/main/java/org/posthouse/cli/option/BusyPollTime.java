package org.posthouse.cli.option;

import org.posthouse.mpj.progress.Settings;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code --busy-poll}. */
public final class BusyPollTime implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
        try {
            return Settings.busyPoll(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
