package org.posthouse.mpj.coll;

/**
 * A program's own operation has thrown in a collective, or its objects' code, or its array would not hold the result. The collective has gone to its end all
 * the same: nothing of it is under way any more. What was thrown, a RuntimeException or an Error, is the cause, and is for the program.
 */
public final class ProgramException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ProgramException(Throwable thrown) {
        super(thrown);
    }
}
