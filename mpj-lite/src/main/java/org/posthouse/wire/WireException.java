package org.posthouse.wire;

/** The peer broke the protocol. The connection that carried the bytes is closed with this reason; nobody else is. */
public final class WireException extends Exception {
    private static final long serialVersionUID = 1L;

    private final CloseReason closeReason;

    /** A breach of kind {@code reason}; {@code detail} says what was found, where, and what was expected. */
    public WireException(CloseReason closeReason, String detail) {
        super(detail);
        this.closeReason = closeReason;
    }

    public CloseReason reason() {
        return closeReason;
    }
}
