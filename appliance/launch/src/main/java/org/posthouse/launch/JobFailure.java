package org.posthouse.launch;

/** A job could not be started, in one line for people. Nothing was left running. */
public final class JobFailure extends Exception {
    private static final long serialVersionUID = 1L;

    /** What somebody who tries again does about it. */
    enum Kind {
        /** The relay has not read its log yet. */
        EARLY,
        /** Who answers in a relay's place has not proven to be it. */
        STRANGER,
        /** Anything else. */
        OTHER
    }

    private final Kind kind;

    public JobFailure(String message) {
        this(message, null);
    }

    public JobFailure(String message, Throwable cause) {
        this(message, cause, Kind.OTHER);
    }

    JobFailure(String message, Throwable cause, Kind kind) {
        super(message, cause);
        this.kind = kind;
    }

    Kind kind() {
        return kind;
    }

    boolean isEarly() {
        return kind == Kind.EARLY;
    }
}
