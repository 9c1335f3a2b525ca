package org.posthouse.ops.access;

/** A login that was refused. The message is for who tried. */
public final class LoginRefused extends Exception {
    private static final long serialVersionUID = 1L;

    private final Reason reason;
    private final int retrySeconds;

    /** Why. */
    public enum Reason {
        /** Name or password; which of the two is not told. */
        WRONG,
        /** After too many wrong ones. */
        SLOWED,
        /** Too many logins are under way. */
        BUSY
    }

    LoginRefused(Reason reason, int retrySeconds, String message) {
        super(message, null, false, false);
        this.reason = reason;
        this.retrySeconds = retrySeconds;
    }

    public Reason reason() {
        return reason;
    }

    /** Seconds after which to try again; 0 if that is up to him. */
    public int retrySeconds() {
        return retrySeconds;
    }
}
