package org.posthouse.mpj.failure;

/** A receive of any source waits, and a rank that it might come from has died without the program having acknowledged it. The receive goes on. */
public final class PendingFailureException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PendingFailureException(String message) {
        super(message);
    }
}
