package org.posthouse.launch;

/** A job could not be started, in one line for people. Nothing was left running. */
public final class JobFailure extends Exception {
    private static final long serialVersionUID = 1L;

    /** Whether it is only that a relay has not read its log yet. */
    private final boolean early;

    public JobFailure(String message) {
        this(message, null);
    }

    public JobFailure(String message, Throwable cause) {
        this(message, cause, false);
    }

    JobFailure(String message, Throwable cause, boolean early) {
        super(message, cause);
        this.early = early;
    }

    boolean isEarly() {
        return early;
    }
}
