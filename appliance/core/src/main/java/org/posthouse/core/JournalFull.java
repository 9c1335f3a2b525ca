package org.posthouse.core;

import org.posthouse.wire.CloseReason;

/** The log has no room for another job. */
public final class JournalFull extends JournalFailure {
    private static final long serialVersionUID = 1L;

    public JournalFull(String where) {
        super(CloseReason.LOG_FULL, where, null);
    }
}
