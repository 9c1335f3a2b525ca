package org.posthouse.cli.option;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads an option's whole number. {@link UsageErrors} puts the option and the word in front of the message. Stateless. */
public class WholeNumber implements ITypeConverter<Integer> {
    private final long least;
    private final String expected;

    /** Any number of an {@code int}. The command itself knows its range. */
    public WholeNumber() {
        this(Integer.MIN_VALUE, "a whole number");
    }

    private WholeNumber(int least, String expected) {
        this.least = least;
        this.expected = expected;
    }

    /** A number from 1. */
    public static final class Positive extends WholeNumber {
        public Positive() {
            super(1, "a whole number of 1 or more");
        }
    }

    /** A number from 0. */
    public static final class NotNegative extends WholeNumber {
        public NotNegative() {
            super(0, "a whole number of 0 or more");
        }
    }

    /** Any number of a {@code long}. */
    public static final class Long implements ITypeConverter<java.lang.Long> {
        @Override
        public java.lang.Long convert(String word) {
            return parse(word, java.lang.Long.MIN_VALUE, java.lang.Long.MAX_VALUE, "a whole number");
        }
    }

    @Override
    public Integer convert(String word) {
        return (int) parse(word, least, Integer.MAX_VALUE, expected);
    }

    private static long parse(String word, long least, long most, String expected) {
        try {
            long number = java.lang.Long.parseLong(word);
            if (number >= least && number <= most) {
                return number;
            }
            throw new TypeConversionException("expected " + expected + (number > most ? ", at most " + most : ""));
        } catch (NumberFormatException e) {
            throw new TypeConversionException("expected " + expected);
        }
    }
}
