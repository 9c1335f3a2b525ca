package org.posthouse.mpj;

/** A rank has called MPI after Finalize, or was inside another call when one of its threads called Finalize. */
public final class FinalizedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    FinalizedException(int rank) {
        super("rank " + rank + " is in an MPI call after Finalize");
    }
}
