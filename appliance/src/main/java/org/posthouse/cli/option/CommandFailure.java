package org.posthouse.cli.option;

/** A command cannot do what it was asked, in one line for people. */
public final class CommandFailure extends Exception {
    /** The exit status if something went wrong that is not a job's own failure. */
    public static final int STATUS_FAILED = 1;

    private static final long serialVersionUID = 1L;

    private final int status;

    /** @param message what is wrong, and what to do about it, in one line */
    public CommandFailure(String message) {
        this(message, null);
    }

    /** @param message what is wrong, and what to do about it, in one line */
    public CommandFailure(String message, Throwable cause) {
        super(message, cause);
        this.status = STATUS_FAILED;
    }

    /** The exit status of the command. */
    public int status() {
        return status;
    }
}
