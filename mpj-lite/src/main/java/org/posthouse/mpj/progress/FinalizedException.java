package org.posthouse.mpj.progress;

/**
 * A rank has called MPI after Finalize, or was inside another call when one of its threads called Finalize. Or its joint job has
 * ended.
 */
public final class FinalizedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final boolean jointEnded;

    /** @param rank the world rank that called */
    public FinalizedException(int rank) {
        super("rank " + rank + " is in an MPI call after Finalize");
        jointEnded = false;
    }

    /** @param ended why the joint job has ended */
    public FinalizedException(String ended) {
        super(ended);
        jointEnded = true;
    }

    /** Whether the message says why the caller's joint job has ended, and Finalize was not called. */
    public boolean isJointEnded() {
        return jointEnded;
    }
}
