package org.posthouse.core;

import org.posthouse.wire.CloseReason;

/** A rank or launcher is turned away by name. Nothing was changed. */
public final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final CloseReason closeReason;

    public Refusal(CloseReason closeReason, String detail) {
        super(detail);
        this.closeReason = closeReason;
    }

    public CloseReason reason() {
        return closeReason;
    }
}
