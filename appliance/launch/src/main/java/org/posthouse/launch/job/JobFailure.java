package org.posthouse.launch.job;

/** A job could not be started, in one line for people. Nothing was left running. */
public final class JobFailure extends Exception {
    private static final long serialVersionUID = 1L;

    /** Kind of a failure, which decides on another try. */
    public enum Kind {
        /** The relay has not read its log yet. */
        EARLY,
        /** The peer at a relay's address has not proven to be that relay. */
        STRANGER,
        /** Anything else. */
        OTHER
    }

    private final Kind kind;

    /** @param message the failure, for people */
    public JobFailure(String message) {
        this(message, null);
    }

    /** A failure with its cause. */
    public JobFailure(String message, Throwable cause) {
        this(message, cause, Kind.OTHER);
    }

    /** A failure of this kind. */
    public JobFailure(String message, Throwable cause, Kind kind) {
        super(message, cause);
        this.kind = kind;
    }

    /** The kind of the failure. */
    public Kind kind() {
        return kind;
    }

    /** Whether the kind is {@link Kind#EARLY}. */
    public boolean isEarly() {
        return kind == Kind.EARLY;
    }
}
