package org.posthouse.core;

import org.posthouse.wire.CloseReason;

/** The log failed. What was to be logged or read back has had no effect; the job cannot go on. */
public abstract sealed class JournalFailure extends RuntimeException permits JournalFull, JournalDamaged, JournalBroken {
    private static final long serialVersionUID = 1L;

    private final CloseReason closeReason;

    JournalFailure(CloseReason closeReason, String where, Throwable cause) {
        super(where, cause);
        this.closeReason = closeReason;
    }

    /** What the job's launcher is told. */
    public CloseReason reason() {
        return closeReason;
    }
}
