package org.posthouse.cli.option;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.posthouse.mpj.Endpoints;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The interval at which the ranks of a job save their state. */
public final class CheckpointOption {
    @Option(
            names = "--checkpoint-every",
            paramLabel = "TIME",
            converter = Interval.class,
            description = "How often a rank of a logged job whose program has points for it (mpi.Checkpoint) saves its state there, such"
                    + " as 30s, 5m or 500ms; 0: when the log asks for it (default: 0).")
    private Long everyMs;

    /** Tells the ranks, if it was given: the user's own environment may say it too. */
    public void into(Map<String, String> environment) {
        if (everyMs != null) {
            environment.put(Endpoints.CHECKPOINT_MS, Long.toString(everyMs));
        }
    }

    /** Reads a time; gives milliseconds. */
    public static final class Interval implements ITypeConverter<Long> {
        private static final Pattern WORDS = Pattern.compile("(\\d{1,9})(ms|s|m|h|)");

        @Override
        public Long convert(String text) {
            Matcher words = WORDS.matcher(text);
            if (!words.matches() || words.group(2).isEmpty() && !words.group(1).equals("0")) {
                throw new TypeConversionException("\"" + text + "\" is no time, expected for instance 30s, 5m or 500ms");
            }
            long count = Long.parseLong(words.group(1));
            return switch (words.group(2)) {
                case "h" -> TimeUnit.HOURS.toMillis(count);
                case "m" -> TimeUnit.MINUTES.toMillis(count);
                case "s" -> TimeUnit.SECONDS.toMillis(count);
                default -> count;
            };
        }
    }
}
