package org.posthouse.mpj.coll;

/**
 * A program's own operation has thrown in a collective, which has gone to its end all the same: nothing of it is under way any more. What it threw, a
 * RuntimeException or an Error, is the cause, and is for the program.
 */
public final class ReductionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ReductionException(Throwable thrown) {
        super(thrown);
    }
}
