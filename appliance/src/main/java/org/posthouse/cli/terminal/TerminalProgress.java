package org.posthouse.cli.terminal;

import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;

/** One line at the foot of a terminal that says how far a long command has come. Confined to the command's thread. */
public final class TerminalProgress implements AutoCloseable {
    private static final int BAR_CHARS = 30;
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final PrintStream terminal;
    private final boolean shown;

    TerminalProgress(PrintStream terminal, boolean shown) {
        this.terminal = terminal;
        this.shown = shown;
    }

    /** On standard error; silent if that is no terminal. */
    public static TerminalProgress onStandardError() {
        return new TerminalProgress(System.err, StandardStream.ERROR.isTerminal());
    }

    /** On standard error; empty if that is no terminal. */
    public static Optional<TerminalProgress> ofTerminal() {
        return StandardStream.ERROR.isTerminal() ? Optional.of(onStandardError()) : Optional.empty();
    }

    /** Shows {@code done} of {@code total} steps, and {@code what} is next, if this is a terminal. */
    public void show(String what, int done, int total) {
        if (shown) {
            int full = total == 0 ? BAR_CHARS : (int) ((long) BAR_CHARS * done / total);
            terminal.print(CLEAR_LINE + "[" + "#".repeat(full) + " ".repeat(BAR_CHARS - full) + "] "
                    + String.format(Locale.ROOT, "%3d %% ", total == 0 ? 100 : 100L * done / total) + what);
            terminal.flush();
        }
    }

    /** Leaves the line empty. */
    @Override
    public void close() {
        if (shown) {
            terminal.print(CLEAR_LINE);
            terminal.flush();
        }
    }
}
