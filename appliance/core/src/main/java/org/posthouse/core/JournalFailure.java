package org.posthouse.core;

import org.posthouse.wire.CloseReason;

/** The log failed. The failed write or read has had no effect; the job cannot continue. */
public abstract sealed class JournalFailure extends RuntimeException permits JournalFull, JournalDamaged, JournalBroken {
    private static final long serialVersionUID = 1L;

    private final CloseReason closeReason;

    JournalFailure(CloseReason closeReason, String where, Throwable cause) {
        super(where, cause);
        this.closeReason = closeReason;
    }

    /** The reason reported to the job's launcher. */
    public CloseReason reason() {
        return closeReason;
    }
}
