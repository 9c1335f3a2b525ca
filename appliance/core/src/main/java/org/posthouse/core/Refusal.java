package org.posthouse.core;

import org.posthouse.wire.Reason;

/** A rank or launcher is turned away by name. Nothing was changed. */
public final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final Reason reason;

    public Refusal(Reason reason, String detail) {
        super(detail);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
