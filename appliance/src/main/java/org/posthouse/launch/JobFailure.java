package org.posthouse.launch;

/** A job could not be started, in one line for people. Nothing was left running. */
public final class JobFailure extends Exception {
    private static final long serialVersionUID = 1L;

    public JobFailure(String message) {
        super(message);
    }

    public JobFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
