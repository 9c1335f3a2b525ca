package org.posthouse.mpj.coll;

/**
 * A program's own operation, its objects' code, or a result array that does not fit has thrown in a collective. The
 * collective has run to its end: none of its operations is under way. The cause is the thrown RuntimeException or
 * Error, for the program.
 */
public final class ProgramException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ProgramException(Throwable thrown) {
        super(thrown);
    }
}
