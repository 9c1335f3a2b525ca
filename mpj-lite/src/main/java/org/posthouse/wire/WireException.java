package org.posthouse.wire;

/** A protocol error of the peer. Only the connection that carried the bytes is closed, with this reason. */
public final class WireException extends Exception {
    private static final long serialVersionUID = 1L;

    private final CloseReason closeReason;

    /** An error with this reason; {@code detail} says what was found, where, and what was expected. */
    public WireException(CloseReason closeReason, String detail) {
        super(detail);
        this.closeReason = closeReason;
    }

    public CloseReason reason() {
        return closeReason;
    }
}
