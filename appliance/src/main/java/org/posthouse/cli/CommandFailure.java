package org.posthouse.cli;

/** A command cannot do what it was asked, in one line for people. */
final class CommandFailure extends Exception {
    /** The exit status if something went wrong that is not a job's own failure. */
    public static final int STATUS_FAILED = 1;

    private static final long serialVersionUID = 1L;

    private final int status;

    CommandFailure(String message) {
        this(message, null);
    }

    CommandFailure(String message, Throwable cause) {
        super(message, cause);
        this.status = STATUS_FAILED;
    }

    int status() {
        return status;
    }
}
