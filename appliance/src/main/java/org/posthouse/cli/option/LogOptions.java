package org.posthouse.cli.option;

import java.util.List;
import java.util.Locale;
import org.posthouse.relay.config.LogLimits;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The disk space of a relay's log: of {@code posthouse relay}, and of the relays that another command starts. */
public final class LogOptions {
    @Option(
            names = "--log-limit",
            paramLabel = "BYTES",
            converter = ByteCount.class,
            description = "How much the log may take on disk, such as 20g (default: 3/4 of the most that was free or its own since the start, at most 64g).")
    private long limitBytes;

    @Option(
            names = "--log-high-mark",
            paramLabel = "PERCENT",
            description = "How full of that the log may be before ranks are asked for checkpoints (default: 60).")
    private int highMarkPercent = LogLimits.DEFAULT.highMarkPercent();

    @Option(
            names = "--on-log-full",
            paramLabel = "WHAT",
            converter = OnFull.class,
            description = "What becomes of a job when there is no room in its log, on its disk or as its ranks take too few checkpoints:"
                    + " wait, until there is; abort (default: wait).")
    private LogLimits.OnFull onFull = LogLimits.DEFAULT.onFull();

    /** @throws CommandFailure in one line, if a limit is out of its range */
    public LogLimits limits() throws CommandFailure {
        try {
            return new LogLimits(limitBytes, highMarkPercent, onFull);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    /** The same as options of a relay's process. @throws CommandFailure as {@link #limits} does */
    public List<String> arguments() throws CommandFailure {
        LogLimits limits = limits();
        return List.of(
                "--log-limit", Long.toString(limits.limitBytes()), "--log-high-mark", Integer.toString(limits.highMarkPercent()),
                "--on-log-full", limits.onFull().name());
    }

    /** The two words. */
    static final class OnFull implements ITypeConverter<LogLimits.OnFull> {
        @Override
        public LogLimits.OnFull convert(String word) {
            return switch (word.toLowerCase(Locale.ROOT)) {
                case "wait" -> LogLimits.OnFull.WAIT;
                case "abort" -> LogLimits.OnFull.ABORT;
                default -> throw new TypeConversionException("\"" + word + "\", expected wait or abort");
            };
        }
    }
}
