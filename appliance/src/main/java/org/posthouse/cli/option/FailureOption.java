package org.posthouse.cli.option;

import org.posthouse.wire.FailureMode;
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
                    + " with a hole (blank), with a communicator of the others (shrink) or with a new process in its place (rebuild); or, with a log,"
                    + " restart,blank or restart,shrink: restart it up to --max-restarts times, then tell the program (default: restart if logged, else abort).")
    private FailureMode mode;

    /** The mode; the default if none was given. */
    public FailureMode mode(boolean isLogged) {
        return mode == null ? FailureMode.usual(isLogged) : mode;
    }

    /** Whether ranks that die are started again, with or without their state. */
    public boolean startsAgain(boolean isLogged) {
        return isLogged || mode == FailureMode.REBUILD;
    }

    /**
     * Checks the mode against the options beside it.
     *
     * @param hasFolder whether another launcher is to be able to continue the job
     * @throws CommandFailure in one line
     */
    public void check(boolean isLogged, int maxRestarts, boolean hasFolder) throws CommandFailure {
        if (mode == FailureMode.RESTART && (!isLogged || maxRestarts == 0)) {
            throw new CommandFailure("--on-failure restart starts a rank again from the log: give --durability process or host, and not --max-restarts 0");
        }
        if (mode == FailureMode.REBUILD && maxRestarts == 0) {
            throw new CommandFailure("--on-failure rebuild starts a new process for a rank that has died: give no --max-restarts 0, or --on-failure shrink");
        }
        if (mode == null || !mode.isTold()) {
            return;
        }
        if (isLogged && mode == FailureMode.REBUILD) {
            throw new CommandFailure("--on-failure rebuild is for a job without a log, whose program goes on by itself: leave --durability out");
        }
        if (isLogged && !mode.isToldAfterRestarts()) {
            throw new CommandFailure("--on-failure " + mode.word() + " is for a job without a log: leave --durability out, or give --on-failure restart,"
                    + mode.word() + ", with --max-restarts 0 for no restarts");
        }
        if (!isLogged && mode.isToldAfterRestarts()) {
            throw new CommandFailure("--on-failure " + mode.word() + " starts a rank again from the log first: give --durability process or host");
        }
        if (hasFolder && isLogged) {
            throw new CommandFailure("--on-failure " + mode.word() + " and --folder: another launcher does not know who is dead; leave one of the two out");
        }
    }

    /** Reads a mode. */
    public static final class Mode implements ITypeConverter<FailureMode> {
        @Override
        public FailureMode convert(String word) {
            return FailureMode.of(word)
                    .orElseThrow(() -> new TypeConversionException("\"" + word + "\" is no mode, expected one of: " + FailureMode.words()));
        }
    }
}
