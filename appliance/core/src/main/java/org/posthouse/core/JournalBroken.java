package org.posthouse.core;

import org.posthouse.wire.CloseReason;

/**
 * The log takes no record, or cannot be made safe on its disk, as that has failed: what it has stays as it is, and the relay's next process may go on from
 * there. The message says what failed.
 */
public final class JournalBroken extends JournalFailure {
    private static final long serialVersionUID = 1L;

    public JournalBroken(String what, Throwable cause) {
        super(CloseReason.LOG_BROKEN, what, cause);
    }
}
