package org.posthouse.cli;

/** A command cannot do what it was asked, in one line for people. */
final class CommandFailure extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    CommandFailure(String message) {
        this(message, null);
    }

    CommandFailure(String message, Throwable cause) {
        super(message, cause);
        this.status = Posthouse.STATUS_FAILED;
    }

    int status() {
        return status;
    }
}
