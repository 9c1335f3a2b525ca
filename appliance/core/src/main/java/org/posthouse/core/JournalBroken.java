package org.posthouse.core;

import org.posthouse.wire.CloseReason;

/**
 * An append to the log, or its sync, has failed. The logged records stay as they are, and the relay's next process may
 * continue from them. The message names the failed step.
 */
public final class JournalBroken extends JournalFailure {
    private static final long serialVersionUID = 1L;

    public JournalBroken(String what, Throwable cause) {
        super(CloseReason.LOG_BROKEN, what, cause);
    }
}
