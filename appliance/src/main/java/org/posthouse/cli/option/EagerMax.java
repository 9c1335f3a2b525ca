package org.posthouse.cli.option;

import org.posthouse.mpj.progress.Settings;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code --eager-max}. */
public final class EagerMax implements ITypeConverter<Settings> {
    @Override
    public Settings convert(String text) {
        try {
            return new Settings(Settings.bytes(text));
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
