package org.posthouse.cli.plan;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.posthouse.plan.HostPool;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Times, rates and probabilities as {@code posthouse plan} reads and prints them. Stateless. */
final class Quantities {
    private static final String NUMBER = "([0-9]+(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]{1,3})?)";
    private static final Pattern TIME = Pattern.compile(NUMBER + "(ms|s|m|h|d)");
    private static final Pattern RATE = Pattern.compile(NUMBER + "(?:/(s|m|h|d))?");
    private static final double MS_PER_S = 1e3;
    private static final double SECONDS_MIN = 1e-3;
    private static final double SECONDS_MAX = TimeUnit.DAYS.toSeconds(36_500);
    private static final double RATE_MIN = 1e-30;
    private static final double RATE_MAX = 1e6;
    private static final double SHAPE_MIN = 0.01;
    private static final double SHAPE_MAX = 100;

    private Quantities() {}

    private static double secondsOf(String unit) {
        return switch (unit) {
            case "ms" -> 1 / MS_PER_S;
            case "s" -> 1;
            case "m" -> TimeUnit.MINUTES.toSeconds(1);
            case "h" -> TimeUnit.HOURS.toSeconds(1);
            default -> TimeUnit.DAYS.toSeconds(1);
        };
    }

    /** Reads a time, gives seconds. */
    static final class Time implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            return seconds(text, SECONDS_MIN);
        }
    }

    private static double seconds(String text, double least) {
        Matcher words = TIME.matcher(text);
        double seconds = words.matches() ? Double.parseDouble(words.group(1)) * secondsOf(words.group(2)) : Double.NaN;
        if (seconds >= least && seconds <= SECONDS_MAX) {
            return seconds;
        }
        throw new TypeConversionException(
                "\"" + text + "\" is no time from " + (least > 0 ? "1ms" : "0s") + " to 36500d, expected for instance 90s, 30m, 6h or 2d");
    }

    /** Reads a rate, gives failures a second. */
    static final class Rate implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            Matcher words = RATE.matcher(text);
            if (words.matches()) {
                double rate = Double.parseDouble(words.group(1)) / (words.group(2) == null ? 1 : secondsOf(words.group(2)));
                if (rate >= RATE_MIN && rate <= RATE_MAX) {
                    return rate;
                }
            }
            throw new TypeConversionException("\"" + text + "\" is no rate above 0, expected for instance 0.002/h, or a number a second");
        }
    }

    /** Reads the shape of a Weibull distribution. */
    static final class Shape implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            return number(text, SHAPE_MIN, SHAPE_MAX, "a number from 0.01 to 100");
        }
    }

    /** Reads what each further copy costs. */
    static final class Overhead implements ITypeConverter<Double> {
        private static final double MOST = 100;

        @Override
        public Double convert(String text) {
            return number(text, 0, MOST, "a number from 0 to 100: the part of the job's time that each further copy adds");
        }
    }

    /** Reads a part of a whole. */
    static final class Part implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            return number(text, 0, 1, "a number from 0 to 1");
        }
    }

    /** Reads a probability that is to be reached. */
    static final class Target implements ITypeConverter<Double> {
        @Override
        public Double convert(String text) {
            return number(text, Double.MIN_NORMAL, 1, "a probability above 0, at most 1");
        }
    }

    private static double number(String text, double least, double most, String expected) {
        try {
            double number = Double.parseDouble(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new TypeConversionException("expected " + expected);
        }
        throw new TypeConversionException("expected " + expected);
    }

    /** Reads the age of some hosts, such as {@code 30d:8}, or of as many as are wanted, such as {@code 30d}. */
    static final class Age implements ITypeConverter<HostPool.Age> {
        @Override
        public HostPool.Age convert(String text) {
            int colon = text.indexOf(':');
            double uptime = seconds(colon < 0 ? text : text.substring(0, colon), 0);
            if (colon < 0) {
                return new HostPool.Age(uptime, HostPool.UNLIMITED);
            }
            String count = text.substring(colon + 1);
            if (!count.matches("[1-9][0-9]{0,5}")) {
                throw new TypeConversionException("\"" + text + "\" has no number of hosts from 1 to 999999 behind its colon, expected for instance 30d:8");
            }
            return new HostPool.Age(uptime, Long.parseLong(count));
        }
    }

    /** A time for people, in its two largest units. */
    static String time(double seconds) {
        if (seconds < TimeUnit.MINUTES.toSeconds(2)) {
            return String.format(Locale.ROOT, "%.3g s", seconds);
        }
        long minutes = Math.round(seconds / TimeUnit.MINUTES.toSeconds(1));
        long hours = minutes / TimeUnit.HOURS.toMinutes(1);
        if (hours == 0) {
            return minutes + " min";
        }
        long days = hours / TimeUnit.DAYS.toHours(1);
        return days == 0 ? hours + " h " + minutes % TimeUnit.HOURS.toMinutes(1) + " min" : days + " d " + hours % TimeUnit.DAYS.toHours(1) + " h";
    }

    /** A probability for people; the smallest that a double holds with its digits is about 1e-308. */
    static String probability(double value) {
        return value < Double.MIN_NORMAL ? "below 1e-307" : number(value);
    }

    /** Three digits. */
    static String number(double value) {
        return String.format(Locale.ROOT, "%.3g", value);
    }
}
