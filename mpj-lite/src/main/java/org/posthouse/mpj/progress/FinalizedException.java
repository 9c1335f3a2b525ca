package org.posthouse.mpj.progress;

/** A rank has called MPI after Finalize, or was inside another call when one of its threads called Finalize. */
public final class FinalizedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    /** @param rank the world rank that called */
    public FinalizedException(int rank) {
        super("rank " + rank + " is in an MPI call after Finalize");
    }
}
