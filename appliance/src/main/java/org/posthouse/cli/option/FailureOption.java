package org.posthouse.cli.option;

import org.posthouse.launch.job.OnFailure;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** What becomes of a job when a rank dies. */
public final class FailureOption {
    @Option(
            names = "--on-failure",
            paramLabel = "MODE",
            converter = Mode.class,
            description = "When a rank's process dies: restart it from the log; abort the job; or, without a log, tell the program, which goes on"
                    + " with a hole (blank) or with a communicator of the others (shrink) (default: restart if logged, else abort).")
    private OnFailure mode;

    /** The mode; the default if none was given. */
    public OnFailure mode(boolean isLogged) {
        return mode == null ? isLogged ? OnFailure.RESTART : OnFailure.ABORT : mode;
    }

    /**
     * Checks the mode against the options beside it.
     *
     * @throws CommandFailure in one line
     */
    public void check(boolean isLogged, int maxRestarts) throws CommandFailure {
        if (mode == OnFailure.RESTART && (!isLogged || maxRestarts == 0)) {
            throw new CommandFailure("--on-failure restart starts a rank again from the log: give --durability process or host, and not --max-restarts 0");
        }
        if (mode != null && mode.isTold() && isLogged) {
            throw new CommandFailure("--on-failure " + mode.word() + " is for a job without a log, whose program goes on by itself: leave --durability out");
        }
    }

    /** Reads a mode. */
    public static final class Mode implements ITypeConverter<OnFailure> {
        @Override
        public OnFailure convert(String word) {
            return OnFailure.of(word)
                    .orElseThrow(() -> new TypeConversionException("\"" + word + "\" is no mode, expected one of " + OnFailure.words()));
        }
    }
}
