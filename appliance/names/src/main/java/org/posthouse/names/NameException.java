package org.posthouse.names;

import java.util.Optional;

/** Why a name service has not done what it was asked, in one line. */
public final class NameException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The reasons. */
    public enum Kind {
        /** {@code bind}: the name has a record, which {@link #found} gives. */
        ALREADY_BOUND,
        /** {@code rebind} of a name that has none. */
        NOT_BOUND,
        /** Another version is there than was expected, or one of a later epoch; {@link #found} gives it, unless there is none. */
        CONFLICT,
        /** A record, or the service, has no room. */
        TOO_LARGE,
        /** What was given is no name. */
        BAD_NAME,
        /** The back end cannot be reached, or is without a majority. Nothing is known of a change that was asked for. */
        UNAVAILABLE,
        /** The back end does not let this caller do it. */
        DENIED
    }

    private final Kind kind;
    private final transient BoundName found;
    private final long retryMs;
    private final boolean isBusy;

    public NameException(Kind kind, String message) {
        this(kind, message, null, null, 0, false);
    }

    public NameException(Kind kind, String message, Throwable cause) {
        this(kind, message, null, cause, 0, false);
    }

    private NameException(Kind kind, String message, BoundName found, Throwable cause, long retryMs, boolean isBusy) {
        super(message, cause);
        this.kind = kind;
        this.found = found;
        this.retryMs = retryMs;
        this.isBusy = isBusy;
    }

    /** @param retryMs milliseconds until another try makes sense */
    static NameException unavailable(String message, long retryMs) {
        return new NameException(Kind.UNAVAILABLE, message, null, null, retryMs, false);
    }

    /** UNAVAILABLE for this call only, which has changed nothing: others may be answered. */
    public static NameException busy(String message) {
        return new NameException(Kind.UNAVAILABLE, message, null, null, 0, true);
    }

    /** {@code bind} found a record. */
    public static NameException alreadyBound(BoundName found) {
        return new NameException(Kind.ALREADY_BOUND, found.name() + " is bound already, at version " + found.version(), found, null, 0, false);
    }

    /** {@code rebind} found none. */
    public static NameException notBound(Name name) {
        return new NameException(Kind.NOT_BOUND, name + " is not bound");
    }

    /** @param found null if there is none */
    public static NameException conflict(Name name, long expected, BoundName found) {
        return new NameException(Kind.CONFLICT, name + " is at version " + (found == null ? 0 : found.version()) + ", expected " + expected, found, null, 0,
                false);
    }

    /** What is there was written in a later epoch. */
    public static NameException laterEpoch(BoundName found, long epoch) {
        return new NameException(
                Kind.CONFLICT, found.name() + " was written in epoch " + found.record().epoch() + ", and epoch " + epoch + " is over", found, null, 0, false);
    }

    /** A refusal that another process has made. */
    public static NameException refused(Kind kind, String message, Optional<BoundName> found) {
        return new NameException(kind, message, found.orElse(null), null, 0, false);
    }

    public Kind kind() {
        return kind;
    }

    /** Whether the whole back end cannot be asked, and not just this call of it. */
    boolean isDown() {
        return kind == Kind.UNAVAILABLE && !isBusy;
    }

    /** Of UNAVAILABLE: milliseconds until another try makes sense; 0 if that is not known. */
    public long retryMs() {
        return retryMs;
    }

    /** What is bound in place of what was expected. */
    public Optional<BoundName> found() {
        return Optional.ofNullable(found);
    }
}
