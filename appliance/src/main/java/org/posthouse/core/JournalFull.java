package org.posthouse.core;

/** The log has no room for a record. What was to be logged has had no effect; the job cannot go on. */
public final class JournalFull extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public JournalFull(String where) {
        super(where);
    }
}
