package org.posthouse.cli.option;

/** A command cannot do what it was asked, in one line for people. */
public final class CommandFailure extends Exception {
    private static final long serialVersionUID = 1L;

    /** @param message what is wrong, and what to do about it, in one line */
    public CommandFailure(String message) {
        this(message, null);
    }

    /** @param message what is wrong, and what to do about it, in one line */
    public CommandFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
