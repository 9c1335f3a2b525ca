package org.posthouse.core;

import org.posthouse.wire.CloseReason;

/** A record of the log cannot be read back as it was. The message says which, in which file. */
public final class JournalDamaged extends JournalFailure {
    private static final long serialVersionUID = 1L;

    public JournalDamaged(String where, Throwable cause) {
        super(CloseReason.LOG_DAMAGED, where, cause);
    }
}
